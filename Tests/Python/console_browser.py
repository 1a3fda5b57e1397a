"""The console in a real Chromium: the numbered cases of its acceptance.

    console_browser.py [--smoke] PROGRAM [unittest's arguments]

PROGRAM is the built `swiftlet`. It serves its demo data from a private PostgreSQL in a temporary folder. Pictures of
every page go to the folder in CONSOLE_PICTURES, if that is set. `-k test_31` runs one case.
"""

import os
import sys
import unittest

SMOKE = {
    "test_02", "test_03", "test_05", "test_06", "test_10", "test_13", "test_15", "test_20", "test_21", "test_28", "test_31",
    "test_57",
}
AREAS = ["entering", "tables", "access", "work", "statements", "live", "stories", "whole", "more"]


def cases(suite):
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from cases(each)
        else:
            yield each


if __name__ == "__main__":
    arguments = sys.argv[1:]
    smoke = "--smoke" in arguments
    arguments = [each for each in arguments if each != "--smoke"]
    os.environ["SWIFTLET_PROGRAM"] = os.path.abspath(arguments[0])
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

    def load_tests(loader, _standard, _pattern):
        suite = unittest.TestSuite(loader.loadTestsFromName(f"console.{area}") for area in AREAS)
        if not smoke:
            return suite
        return unittest.TestSuite(each for each in cases(suite) if each.id().split(".")[-1][:7] in SMOKE)

    unittest.main(argv=[sys.argv[0], "-v"] + arguments[1:])
