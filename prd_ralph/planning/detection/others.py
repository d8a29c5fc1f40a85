"""Projects whose tools are always called the same, and files of targets."""

import re
from collections.abc import Iterator

from prd_ralph.planning.detection.proposals import Files, Kind, Proposal, at, text_of

_TARGETS = {
    Kind.LINT: ("lint",),
    Kind.TYPECHECK: ("typecheck", "type-check", "types"),
    Kind.BUILD: ("build",),
    Kind.TEST: ("test", "tests", "check"),
}


def targets(files: Files) -> Iterator[Proposal]:
    """Targets of a Makefile, recipes of a justfile, tasks of a Taskfile, by their usual names."""
    for program, names, head in (
        ("make", ("GNUmakefile", "makefile", "Makefile"), r"^{}[ \t]*::?(?!=)"),
        ("just", ("justfile", "Justfile", ".justfile"), r"^@?{}(?:[ \t][^:\n]*)?:(?!=)"),
        ("task", ("Taskfile.yml", "Taskfile.yaml"), r"^  {}:"),
    ):
        file = next((name for name in names if name in files), None)
        for kind, wanted in _TARGETS.items() if file else ():
            text = text_of(files, str(file))
            found = next((name for name in wanted if re.search(head.format(name), text, re.MULTILINE)), None)
            if found:
                yield Proposal(kind, f"{program} {found}", at(files, str(file), head.format(found), found))


def compiled(files: Files) -> Iterator[Proposal]:
    """Rust, Go, and the JVM's builders, by their wrapper where there is one."""
    if "Cargo.toml" in files:
        yield Proposal(Kind.LINT, "cargo clippy --all-targets -- -D warnings", "Cargo.toml")
        yield Proposal(Kind.TEST, "cargo test", "Cargo.toml")
    if "go.mod" in files:
        yield Proposal(Kind.LINT, "go vet ./...", "go.mod")
        yield Proposal(Kind.BUILD, "go build ./...", "go.mod")
        yield Proposal(Kind.TEST, "go test ./...", "go.mod")
    if "pom.xml" in files:
        yield Proposal(Kind.TEST, f"{'./mvnw' if 'mvnw' in files else 'mvn'} -B verify", "pom.xml")
    for file in ("build.gradle", "build.gradle.kts"):
        if file in files:
            yield Proposal(Kind.TEST, f"{'./gradlew' if 'gradlew' in files else 'gradle'} check", file)
            return


def ruby(files: Files) -> Iterator[Proposal]:
    """Gems that a Gemfile names; without RSpec the Rakefile's test task."""
    gems = text_of(files, "Gemfile")
    for kind, gem, command in ((Kind.LINT, "rubocop", "rubocop"), (Kind.TEST, "rspec", "rspec")):
        line = rf"^[ \t]*gem[ \t(]+['\"]{gem}(?:-rails)?['\"]"
        if re.search(line, gems, re.MULTILINE):
            yield Proposal(kind, f"bundle exec {command}", at(files, "Gemfile", line, gem))
        elif kind is Kind.TEST and re.search(r"\btest\b|TestTask", text_of(files, "Rakefile")):
            yield Proposal(kind, f"{'bundle exec ' if gems else ''}rake test", "Rakefile")
