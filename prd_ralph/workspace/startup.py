"""Which files of the person's, outside the work tree, a command reads at its start though nobody names them.

What bash, git, Python, Node, Ruby, Perl, Go, Cargo, Gradle and Maven say of themselves in their manuals.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from prd_ralph.workspace.files import read_plain
from prd_ralph.workspace.glance import entries, seen

_HOME = (
    *(".bashrc", ".bash_profile", ".bash_login", ".profile", ".bash_env", ".zshenv", ".zprofile", ".zshrc", ".kshrc"),
    *(".gitconfig", ".pip/pip.conf", ".pydistutils.cfg", ".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml"),
    *(".pythonrc", ".pythonrc.py", ".pdbrc", ".cargo/config", ".cargo/config.toml", ".mavenrc", ".m2/settings.xml"),
    *(".gradle/init.gradle", ".gradle/init.gradle.kts", ".gradle/gradle.properties"),
    *(".rspec", ".irbrc", ".gemrc", ".bundle/config", ".proverc", ".curlrc"),
)
_CONFIG = ("git/config", "git/attributes", "git/ignore", "pip/pip.conf", "pnpm/rc", "go/env", "rspec/options")
_SYSTEM = ("/etc/ld.so.preload", "/etc/gitconfig", "/etc/pip.conf", "/etc/zshenv", "/etc/zsh/zshenv")
_ABOVE = (
    *("conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", ".python-version"),
    *("package.json", ".npmrc", "tsconfig.json", "babel.config.js", "babel.config.json", ".babelrc", ".mocharc.json"),
    *("jest.config.js", "jest.config.json", "vitest.config.ts", "vitest.config.js", "node_modules", ".pnp.cjs"),
    *("Cargo.toml", ".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml"),
    *("go.work", "go.mod", ".rspec", ".ruby-version", ".tool-versions", "global.json", "Directory.Build.props"),
)
_NAMED = (
    *("BASH_ENV", "ENV", "PYTHONSTARTUP", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "PIP_CONFIG_FILE", "GOENV"),
    *("NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "LD_PRELOAD"),
)
_FOLDERS = ("PYTHONPATH", "NODE_PATH", "RUBYLIB", "PERL5LIB", "LD_LIBRARY_PATH")
_MOST = 500
_HOOKS = ("sitecustomize.py", "usercustomize.py")


def startup_files(root: Path, env: Mapping[str, str], common: Path) -> Iterator[Path]:
    """Their absolute paths, whether anything lies there or not; `root` is the work tree, `common` its git folder."""
    home = _absolute(env.get("HOME", ""))
    if home is not None:
        yield from _of_home(home, env)
    yield from map(Path, _SYSTEM)
    yield from _above(root, common, shared=False)
    for name in _NAMED:
        yield from _absolutes(env.get(name, "").replace(" ", os.pathsep))
    for folder in _import_folders(env):
        yield from (folder / hook for hook in _HOOKS)
        yield from (folder,) if _is_small(folder) else ()
    yield from listed(env, _is_small)


def listed(env: Mapping[str, str], is_known: Callable[[Path], bool]) -> Iterator[Path]:
    """Those of them whose names nobody can know before: what lies now in folders of which every file counts.

    Of the folders that variables name only in those that `is_known`: others hold too much to be noted.
    """
    home = _absolute(env.get("HOME", ""))
    if home is not None:
        for folder in (_config(home, env) / "git", home / ".gradle/init.d"):
            yield from (Path(entry.path) for entry in entries(folder))
        base = _absolute(env.get("PYTHONUSERBASE", "")) or home / ".local"
        for version in entries(base / "lib"):
            names = (*_HOOKS, *(entry.name for entry in entries(f"{version.path}/site-packages")))
            yield from (Path(version.path, "site-packages", name) for name in names if name in _HOOKS or _is_pth(name))
    for folder in filter(is_known, _import_folders(env)):
        yield from (Path(entry.path) for entry in entries(folder) if entry.name != "__pycache__")


def read_above(root: Path, common: Path) -> Iterator[Path]:
    """What runners read above the work tree where it is another's doing as well as not: in folders that everybody may
    write to, and in another work tree of the repository, where a person works.
    """
    return _above(root, common, shared=True)


def _above(root: Path, common: Path, shared: bool) -> Iterator[Path]:
    for folder in root.parents:
        found = seen(folder)
        if found is None:
            continue
        open_to_all = bool(found.st_mode & stat.S_IWOTH)
        if (open_to_all or any(_is_tree_of(each, common) for each in (folder, *folder.parents))) is shared:
            yield from (folder / name for name in _ABOVE)


def _is_tree_of(folder: Path, common: Path) -> bool:
    """Whether it is a work tree of the repository whose git folder is `common`: its main one, or a linked one."""
    entry = folder / ".git"
    key, _, target = os.fsdecode(read_plain(entry) or b"").partition(":")
    place = os.path.realpath(folder / target.strip() if key == "gitdir" else entry)
    return seen(entry) is not None and (Path(place) == common or Path(place).parent == common / "worktrees")


def _of_home(home: Path, env: Mapping[str, str]) -> Iterator[Path]:
    yield from (home / name for name in _HOME)
    yield from (_config(home, env) / name for name in _CONFIG)
    zsh = _absolute(env.get("ZDOTDIR", ""))
    yield from (zsh / name for name in _HOME if zsh and name.startswith(".z"))
    cargo = _absolute(env.get("CARGO_HOME", ""))
    yield from (cargo / name for name in ("config", "config.toml") if cargo)


def _config(home: Path, env: Mapping[str, str]) -> Path:
    return _absolute(env.get("XDG_CONFIG_HOME", "")) or home / ".config"


def _import_folders(env: Mapping[str, str]) -> Iterator[Path]:
    return (folder for name in _FOLDERS for folder in _absolutes(env.get(name, "")))


def _is_small(folder: Path) -> bool:
    return len(entries(folder)) <= _MOST


def _is_pth(name: str) -> bool:
    return name.endswith(".pth")


def _absolute(text: str) -> Path | None:
    return Path(text) if text.startswith("/") and "\0" not in text else None


def _absolutes(listed: str) -> Iterator[Path]:
    yield from filter(None, map(_absolute, listed.split(os.pathsep)))
