"""The closing lines of the test runners of Ruby, PHP and Elixir, and of shells."""

from prd_ralph.runners.reading import Runner, line

_LIST = r"[0-9]+ [a-z]+(?: [a-z]+)*(?:, [0-9]+ [a-z]+(?: [a-z]+)*)*"

RUNNERS = (
    Runner(
        "rspec",
        (line(r"(?P<list>[0-9]+ examples?, [0-9]+ failures?(?:, [0-9]+ [a-z ]+)*)"), line(r"No examples found\.")),
    ),
    Runner("minitest", (line(rf"(?P<list>[0-9]+ (?:runs|tests), [0-9]+ assertions, {_LIST})"),)),
    Runner(
        "phpunit",
        (
            line(r"OK \((?P<list>[0-9]+ tests?, [0-9]+ assertions?)\)"),
            line(r"(?P<named>Tests: [0-9]+, Assertions: [0-9]+(?:, [A-Z][A-Za-z ]{1,40}: [0-9]+)*)\."),
            line(r"No tests executed!"),
        ),
    ),
    Runner("pest", (line(r" {1,4}Tests: {1,9}(?P<list>[0-9]+ [a-z]+(?:, [0-9]+ [a-z]+)*) \([0-9]+ assertions?\)"),)),
    # ExUnit and bats: the same words.
    Runner(
        "ExUnit",
        (
            line(
                r"(?P<list>(?:[0-9]+ (?:doctests?|property|properties), ){0,3}"
                r"[0-9]+ tests?, [0-9]+ failures?(?:, [0-9]+ [a-z]+)*)"
            ),
        ),
    ),
)
