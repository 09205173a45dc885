/* Finds the auxiliary input of a filter: its own picture, or the plan's second input. */
#include "plan_aux.h"

#include "../base/view.h"
#include "plan_memory.h"

/* Keeps the sums of the picture's channels, as a view all of whose rows are one. */
static satf_status keep_sums(satf_context *ctx, satf_plan *plan, const satf_view *picture,
                             plan_aux *aux)
{
    satf_image *sums;
    satf_status status = filter_picture_sum(ctx, picture, &sums);
    if (!status) {
        status = plan_keep_picture(ctx, plan, &sums->view, sums, &aux->sums_place, &aux->sums);
        aux->sums.stride = 0;
    }
    return status;
}

bool plan_takes_rgb(const chain_link *link)
{
    return link->info->colour_aux && link->info->colour_aux(link->options);
}

static bool is_rgb(const satf_view *view)
{
    return view->channels - (view->flags & SATF_ALPHA ? 1 : 0) == 3;
}

static satf_status keep_own(satf_context *ctx, satf_plan *plan, const plan_link *of,
                            const filter_picture *own, plan_aux *aux)
{
    const filter_info *info = of->link->info;
    const satf_view *in = &of->from, *picture = &own->view;
    satf_image *spread = NULL, *plain = NULL;
    bool any = info->any_aux, same_alpha = !((picture->flags ^ in->flags) & SATF_ALPHA);
    aux->rgb = plan_takes_rgb(of->link) && is_rgb(picture);
    aux->says = picture->full > 0;
    satf_status status = filter_picture_check(ctx, own->name, picture, &of->given,
                                              aux->rgb ? LIKE_RGB
                                              : any    ? LIKE_COLOURS
                                                       : LIKE_OR_ONE);
    bool like = of->ends && of->ends->loads && !any && !aux->rgb;
    status = status ? status : filter_plain_picture(ctx, of->ends, like, picture, &plain);
    picture = plain ? &plain->view : picture;
    if (!status && !aux->rgb && (picture->channels != in->channels || (any && !same_alpha))) {
        status = filter_picture_spread(ctx, picture, in, &spread);
        picture = status ? picture : &spread->view;
    }
    if (status || spread) {
        satf_image_destroy(plain);
        plain = spread;
    }
    if (!status) {
        status = plan_keep_picture(ctx, plan, picture, plain, &aux->place, &aux->view);
    }
    bool sums = info->sums_aux && info->sums_aux(of->link->options);
    return status || !sums ? status : keep_sums(ctx, plan, picture, aux);
}

satf_status plan_find_aux(satf_context *ctx, satf_plan *plan, const plan_link *of, plan_aux *aux)
{
    const chain_link *link = of->link;
    const filter_info *info = link->info;
    filter_picture *const *picture = chain_value(link, PARAM_IMAGE);
    *aux = (plan_aux){.place = {PLACE_NONE, 0}, .sums_place = {PLACE_NONE, 0}};
    if (picture && *picture) {
        return keep_own(ctx, plan, of, *picture, aux);
    }
    if (!picture || plan->aux.width == 0) {
        return SATF_OK;
    }
    if (info->sums_aux && info->sums_aux(link->options)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s takes the mean of the auxiliary input, which the filter has to "
                         "keep for that; a plan's second input comes with every run",
                         info->name);
    }
    aux->place = (plan_place){PLACE_AUX, 0};
    aux->view = plan->from_aux;
    aux->rgb = plan_takes_rgb(link) && is_rgb(&aux->view);
    aux->says = aux->view.full > 0;
    if (!satf_type_is_plain(aux->view.type) || (of->ends && of->ends->zero > 0)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a plan's second input is of u8, u16, f32 or f64, and so is the first "
                         "beside it; one that the filter keeps may be of any type");
    }
    return filter_picture_check(ctx, FILTER_PICTURE_NAME, &aux->view, &of->from,
                                aux->rgb        ? LIKE_RGB
                                : info->any_aux ? LIKE_CHANNELS
                                                : LIKE_INPUT);
}
