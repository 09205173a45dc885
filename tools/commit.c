/* The commit, which make tells this file alone, so that a new one compiles no other. */
#include "commit.h"

const char tools_commit[] = SATF_COMMIT;
