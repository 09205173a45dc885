"""The examples of docs/python.md do what they show."""
import doctest
import os
import shutil
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("top_srcdir", Path(__file__).resolve().parents[2])).resolve()


class Docs(unittest.TestCase):
    def test_examples(self):
        page = (ROOT / "docs" / "python.md").read_text()
        text = "\n".join("" if line.startswith("```") else line for line in page.splitlines())
        examples = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", "docs/python.md", 0)
        self.assertGreater(len(examples.examples), 30)
        said = []
        old = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ROOT / "samples" / "scene.png", folder)
            os.chdir(folder)
            try:
                runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
                failed = runner.run(examples, out=said.append).failed
            finally:
                os.chdir(old)
        self.assertEqual(failed, 0, "".join(said))


if __name__ == "__main__":
    unittest.main()
