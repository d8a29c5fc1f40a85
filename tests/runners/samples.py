"""What runners truly print at their end: passed, failed, skipped (None: it is not said how many passed).

Printed by the programs themselves: pytest, unittest, behave, jest, vitest, mocha, ava, tap, node's own, playwright,
cucumber, bun, deno, cargo, ctest, prove. The others need a platform that was not at hand: as their formats are known.
"""

Counted = tuple[int | None, int, int]

SAMPLES: dict[str, tuple[str, str, Counted]] = {
    "pytest": ("pytest", "....sx [100%]\n2 passed, 1 skipped, 1 xfailed in 0.02s\n", (2, 0, 2)),
    "pytest framed": (
        "pytest",
        "=================== 2 passed, 1 warning in 63.53s (0:01:03) ====================\n",
        (2, 0, 0),
    ),
    "pytest failed": (
        "pytest",
        "FAILED test_bad.py::test_b - assert 0\n1 failed, 2 passed, 1 skipped, 1 error in 0.02s\n",
        (2, 2, 1),
    ),
    "pytest subtests": ("pytest", "1 passed, 4 subtests passed in 0.01s\n", (1, 0, 0)),
    "pytest reruns": ("pytest", "2 passed, 1 rerun in 0.01s\n", (2, 0, 0)),
    "pytest none": (
        "pytest",
        "collected 0 items\n\n============================ no tests ran in 0.00s =============================\n",
        (0, 0, 0),
    ),
    "pytest deselected": (
        "pytest",
        "collected 6 items / 6 deselected / 0 selected\n\n====== 6 deselected in 0.01s ======\n",
        (0, 0, 0),
    ),
    "pytest xdist": (
        "pytest",
        "2 workers [4 items]\n\ns..x                      [100%]\n=== 2 passed, 1 skipped, 1 xfailed in 0.53s ===\n",
        (2, 0, 2),
    ),
    "pytest collected": ("pytest", "collected 0 items / 2 deselected\n", (0, 0, 0)),
    "pytest -qq": ("pytest -qq", "..sx                                       [100%]\n", (None, 0, 0)),
    "pytest -qq skipped": ("pytest -qq", "ss                                         [100%]\n", (0, 0, 0)),
    "unittest": ("unittest", ".s\n-----\nRan 2 tests in 0.000s\n\nOK (skipped=1)\n", (1, 0, 1)),
    "unittest plain": ("unittest", "Ran 3 tests in 0.000s\n\nOK\n", (3, 0, 0)),
    "unittest none": ("unittest", "Ran 0 tests in 0.000s\n\nOK\n", (0, 0, 0)),
    "unittest none, 3.12": ("unittest", "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", (0, 0, 0)),
    "unittest failed": (
        "unittest",
        "Ran 4 tests in 0.000s\n\nFAILED (failures=1, expected failures=1, unexpected successes=1)\n",
        (1, 2, 1),
    ),
    "behave": ("behave", "1 scenario passed, 1 failed, 0 skipped\n1 step passed, 1 failed, 0 skipped\n", (1, 1, 0)),
    "behave none": ("behave", "0 scenarios passed, 0 failed, 2 skipped\n", (0, 0, 2)),
    "jest": (
        "jest",
        "Test Suites: 1 passed, 1 total\nTests:       1 skipped, 1 todo, 2 passed, 4 total\nSnapshots:   0 total\n",
        (2, 0, 2),
    ),
    "jest failed": ("jest", "Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\n", (0, 1, 0)),
    "jest broken suite": (
        "jest",
        "Test Suites: 1 failed, 1 passed, 2 total\nTests:       2 passed, 2 total\n",
        (2, 1, 0),
    ),
    "jest skipped": ("jest", "Test Suites: 3 skipped, 0 of 3 total\nTests:       6 skipped, 6 total\n", (0, 0, 6)),
    "jest, nothing new": ("jest", "No tests found related to files changed since last commit.\n", (0, 0, 0)),
    "jest none": ("jest", "No tests found, exiting with code 0\n", (0, 0, 0)),
    "vitest": (
        "vitest",
        " Test Files  1 passed (1)\n      Tests  1 passed | 1 skipped | 1 todo (3)\n   Start at  21:25:40\n",
        (1, 0, 2),
    ),
    "vitest failed": ("vitest", " Test Files  1 failed (1)\n      Tests  1 failed (1)\n", (0, 1, 0)),
    "vitest none": ("vitest", "\nNo test files found, exiting with code 0\n\nfilter: nofile\n", (0, 0, 0)),
    "mocha": ("mocha", "  ✔ a\n\n  2 passing (2ms)\n  1 pending\n", (2, 0, 1)),
    "mocha failed": ("mocha", "  1 passing (2ms)\n  1 failing\n\n  1) x:\n", (1, 1, 0)),
    "mocha none": ("mocha", "\n\n  0 passing (1ms)\n\n", (0, 0, 0)),
    "mocha as TAP": ("TAP", "ok 1 a\nok 2 b\nok 3 c # SKIP -\n# tests 2\n# pass 2\n# fail 0\n1..3\n", (2, 0, 0)),
    "ava": ("ava", "  ✔ a\n  ─\n\n  1 test passed\n  1 test skipped\n  1 test todo\n", (1, 0, 2)),
    "ava failed": ("ava", "  ─\n\n  2 tests failed\n  1 test passed\n", (1, 2, 0)),
    "ava as TAP, with a test to do": (
        "TAP lines",
        "TAP version 13\nok 1 - b # SKIP\nnot ok 2 - c # TODO\nok 3 - a\n\n"
        "1..3\n# tests 2\n# pass 1\n# skip 1\n# fail 1\n",
        (1, 0, 2),
    ),
    "node": (
        "TAP",
        "TAP version 13\nok 1 - a\nok 2 - b # SKIP\nok 3 - c # TODO\n1..3\n# tests 3\n# suites 0\n# pass 1\n# fail 0\n"
        "# cancelled 0\n# skipped 1\n# todo 1\n# duration_ms 90.224741\n",
        (1, 0, 2),
    ),
    "node, spec": (
        "TAP",
        "✖ a (1ms)\nℹ tests 2\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n",
        (1, 1, 0),
    ),
    "tap": ("TAP", "ok 1 - a.test.js # time=17.68ms\n1..1\n# { total: 2, pass: 1, skip: 1 }\n# time=8ms\n", (1, 0, 1)),
    "plain TAP": ("TAP lines", "1..3\nok 1\nok 2 - b # time=3ms\nok 3 # skip x\n", (2, 0, 1)),
    "plain TAP failed": ("TAP lines", "1..2\nok 1\nnot ok 2 - b\n", (1, 1, 0)),
    "plain TAP none": ("TAP lines", "1..0 # SKIP no network\n", (0, 0, 0)),
    "prove": (
        "prove",
        "All tests successful.\nFiles=1, Tests=3,  0 wallclock secs ( 0.01 usr)\nResult: PASS\n",
        (3, 0, 0),
    ),
    "prove -v": ("prove", "1..1\nok 1\nok\nFiles=1, Tests=1,  0 wallclock secs\nResult: PASS\n", (1, 0, 0)),
    "prove failed": ("prove", "Files=1, Tests=2,  0 wallclock secs ( 0.01 usr)\nResult: FAIL\n", (2, 1, 0)),
    "prove none": ("prove", "Files=0, Tests=0,  0 wallclock secs ( 0.00 usr)\nResult: NOTESTS\n", (0, 0, 0)),
    "playwright": ("playwright", "\nRunning 3 tests using 1 worker\n°··\n  1 skipped\n  2 passed (1.2s)\n", (2, 0, 1)),
    "playwright failed": (
        "playwright",
        "\nRunning 2 tests using 1 worker\n  1 failed\n    bad.spec.js:1:43 › a ────\n  1 passed (1.1s)\n",
        (1, 1, 0),
    ),
    "playwright flaky": (
        "playwright",
        "\nRunning 1 test using 1 worker\n  1 flaky\n    flaky.spec.js:1:43 › a\n",
        (1, 0, 0),
    ),
    "cypress": ("mocha", "  a\n    ✓ b\n\n  1 passing (1s)\n\n  (Results)\n  │ Tests:        1 │\n", (1, 0, 0)),
    "cucumber": ("cucumber", "2 scenarios (1 failed, 1 passed)\n2 steps (1 failed, 1 passed)\n0m00.006s\n", (1, 1, 0)),
    "cucumber none": ("cucumber", "0 scenarios\n0 steps\n0m00.000s\n", (0, 0, 0)),
    "bun": ("bun", " 1 pass\n 1 skip\n 1 todo\n 1 fail\nRan 4 tests across 2 files. [37.00ms]\n", (1, 1, 2)),
    "deno": ("deno", "ok | 1 passed (3 steps) | 0 failed | 1 ignored (24ms)\n", (1, 0, 1)),
    "deno failed": ("deno", "FAILED | 0 passed | 1 failed (22ms)\n", (0, 1, 0)),
    "deno none": ("deno", "\nok | 0 passed | 0 failed | 2 filtered out (6ms)\n", (0, 0, 0)),
    "go": (
        "go test",
        "?   \texample.invalid/x\t[no test files]\nok  \texample.invalid/x/a\t0.003s\n"
        "ok  \texample.invalid/x/b\t(cached)\n",
        (None, 0, 0),
    ),
    "go coverage": ("go test", "ok  \texample.invalid/x\t0.003s\tcoverage: 81.2% of statements\n", (None, 0, 0)),
    "go -v": (
        "go test",
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n--- SKIP: TestB (0.00s)\nPASS\n"
        "ok  \texample.invalid/x\t0.003s\n",
        (1, 0, 1),
    ),
    "go -v skipped": ("go test", "--- SKIP: TestB (0.00s)\nPASS\nok  \texample.invalid/x\t0.003s\n", (0, 0, 1)),
    "go none": ("go test", "ok  \texample.invalid/x\t0.003s [no tests to run]\n", (0, 0, 0)),
    "go no files": ("go test", "?   \texample.invalid/x\t[no test files]\n", (0, 0, 0)),
    "go failed": ("go test", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.invalid/x\t0.003s\nFAIL\n", (0, 1, 0)),
    "go not built": ("go test", "FAIL\texample.invalid/x [build failed]\nFAIL\n", (0, 1, 0)),
    "gotestsum": ("gotestsum", "✓  x (3ms)\n\nDONE 4 tests, 1 skipped, 1 failure in 0.512s\n", (2, 1, 1)),
    "gotestsum none": ("gotestsum", "\nDONE 0 tests in 0.005s\n", (0, 0, 0)),
    "cargo": (
        "cargo test",
        "running 2 tests\n"
        "test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n"
        "running 1 test\n"
        "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n"
        "   Doc-tests cg\n\nrunning 0 tests\n\n"
        "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        (2, 0, 1),
    ),
    "cargo failed": (
        "cargo test",
        "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        (1, 2, 0),
    ),
    "cargo none": ("cargo test", "0 passed; 12 filtered out\n", (0, 0, 0)),
    "nextest": ("nextest", "     Summary [   0.005s] 3 tests run: 2 passed (1 slow), 1 failed, 4 skipped\n", (2, 1, 4)),
    "dotnet": (
        "dotnet test",
        "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms - x.dll (net8.0)\n"
        "Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 5 ms - y.dll (net8.0)\n",
        (5, 0, 1),
    ),
    "dotnet failed": (
        "dotnet test",
        "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 5 ms\n",
        (3, 1, 0),
    ),
    "dotnet none": (
        "dotnet test",
        "No test is available in /x/y.dll. Make sure that test discoverer is there.\n",
        (0, 0, 0),
    ),
    "dotnet summary": (
        "dotnet",
        "Test summary: total: 3, failed: 1, succeeded: 2, skipped: 0, duration: 1.0s\n",
        (2, 1, 0),
    ),
    "dotnet, long": ("dotnet", "Test Run Successful.\nTotal tests: 3\n     Passed: 2\n    Skipped: 1\n", (2, 0, 0)),
    "dotnet platform": (
        "Microsoft.Testing.Platform",
        "Test run summary: Passed!\n  total: 3\n  failed: 0\n  succeeded: 2\n  skipped: 1\n  duration: 1s\n",
        (2, 0, 1),
    ),
    "maven": (
        "surefire",
        "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.03 s -- in a.ATest\n[INFO] Results:\n"
        "[WARNING] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1\n[INFO] \n"
        "[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0\n",
        (4, 0, 1),
    ),
    "maven failed": ("surefire", "[ERROR] Tests run: 2, Failures: 1, Errors: 1, Skipped: 0\n", (0, 2, 0)),
    "maven flakes": ("surefire", "[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1\n", (2, 0, 0)),
    "maven none": ("surefire", "[INFO] No tests to run.\n", (0, 0, 0)),
    "maven told to skip": ("surefire", "[INFO] Tests are skipped.\n", (0, 0, 0)),
    "junit": (
        "JUnit",
        "[         3 containers successful ]\n[         2 tests found           ]\n"
        "[         1 tests skipped         ]\n"
        "[         1 tests successful      ]\n[         0 tests failed          ]\n",
        (1, 0, 1),
    ),
    "gradle": (
        "gradle",
        "> Task :api:test NO-SOURCE\n> Task :core:test UP-TO-DATE\n\nBUILD SUCCESSFUL in 1s\n",
        (None, 0, 0),
    ),
    "gradle none": (
        "gradle",
        "> Task :compileTestJava NO-SOURCE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n",
        (0, 0, 0),
    ),
    "gradle failed": ("gradle", "> Task :test FAILED\n\n3 tests completed, 1 failed, 1 skipped\n", (1, 1, 1)),
    "ctest": (
        "ctest",
        "67% tests passed, 1 tests failed out of 4\n\nThe following tests did not run:\n"
        "\t  3 - c (Skipped)\n\t  4 - d (Disabled)\n",
        (1, 1, 2),
    ),
    "ctest none": ("ctest", "Test project /x\nNo tests were found!!!\n", (0, 0, 0)),
    "gtest": (
        "GoogleTest",
        "[==========] 4 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 2 tests.\n"
        "[  SKIPPED ] 1 test, listed below:\n[  FAILED  ] 1 test, listed below:\n",
        (2, 1, 1),
    ),
    "catch2": ("Catch2", "All tests passed (3 assertions in 2 test cases)\n", (2, 0, 0)),
    "catch2 failed": (
        "Catch2",
        "test cases: 3 | 2 passed | 1 failed\nassertions: 4 | 3 passed | 1 failed\n",
        (2, 1, 0),
    ),
    "catch2 none": ("Catch2", "No tests ran\n", (0, 0, 0)),
    "doctest": ("Catch2", "[doctest] test cases:  2 |  1 passed | 0 failed | 1 skipped\n", (1, 0, 1)),
    "sbt": ("sbt", "[info] Passed: Total 3, Failed 0, Errors 0, Passed 2, Skipped 1\n", (2, 0, 1)),
    "xctest": (
        "XCTest",
        "\t Executed 3 tests, with 0 failures (0 unexpected) in 0.001 (0.002) seconds\n"
        "\t Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.001 (0.003) seconds\n",
        (1, 1, 1),
    ),
    "swift testing": ("Swift Testing", "✔ Test run with 3 tests in 1 suite passed after 0.001 seconds.\n", (3, 0, 0)),
    "swift testing failed": (
        "Swift Testing",
        "✘ Test run with 3 tests failed after 0.001 seconds with 1 issue.\n",
        (0, 1, 0),
    ),
    "dart": ("dart", "00:01 +3 ~1: All tests passed!\n", (3, 0, 1)),
    "dart failed": ("dart", "00:01 +3 ~1 -2: Some tests failed.\n", (3, 2, 1)),
    "rspec": ("rspec", "Finished in 0.01 seconds\n3 examples, 1 failure, 1 pending\n", (1, 1, 1)),
    "rspec none": ("rspec", "No examples found.\n\n0 examples, 0 failures\n", (0, 0, 0)),
    "rspec broken": ("rspec", "0 examples, 0 failures, 1 error occurred outside of examples\n", (0, 1, 0)),
    "minitest": ("minitest", "4 runs, 3 assertions, 1 failures, 0 errors, 1 skips\n", (2, 1, 1)),
    "test-unit": (
        "minitest",
        "3 tests, 3 assertions, 0 failures, 0 errors, 1 pendings, 0 omissions, 0 notifications\n",
        (2, 0, 1),
    ),
    "phpunit": ("phpunit", "OK (3 tests, 3 assertions)\n", (3, 0, 0)),
    "phpunit failed": ("phpunit", "FAILURES!\nTests: 4, Assertions: 3, Failures: 1, Skipped: 1.\n", (2, 1, 1)),
    "phpunit none": ("phpunit", "No tests executed!\n", (0, 0, 0)),
    "pest": ("pest", "  Tests:    1 failed, 2 passed (3 assertions)\n  Duration: 0.1s\n", (2, 1, 0)),
    "exunit": ("ExUnit", "1 doctest, 3 tests, 1 failure, 1 excluded, 1 skipped\n", (1, 1, 2)),
    "bats": ("ExUnit", "3 tests, 0 failures, 1 skipped\n", (2, 0, 1)),
}
