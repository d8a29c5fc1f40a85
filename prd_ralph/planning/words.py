"""The word table of RULES: by which words sections and labels are known, in seven languages."""

import re
from enum import StrEnum
from functools import lru_cache


class Word(StrEnum):
    """A row of the table. Some words stand in two rows: which counts depends on where they are met."""

    STORIES = "stories"
    DESCRIPTION = "description"
    CRITERIA = "criteria"
    MORE = "more"
    DEPENDS = "depends"
    PRIORITY = "priority"
    VERIFY = "verify"
    GATES = "gates"
    NOTES = "notes"


_TABLE = {
    Word.STORIES: "user stories, stories, tasks, backlog, story backlog, historias de usuario, historias, tareas, "
    "anwendergeschichten, aufgaben, récits utilisateur, tâches, histórias de usuário, tarefas, 用户故事, 任务, "
    "felhasználói történetek, feladatok",
    Word.DESCRIPTION: "description, user story, descripción, beschreibung, descrição, 描述, leírás",
    Word.CRITERIA: "acceptance criteria, acceptance, criteria, definition of done, done when, criterios de aceptación, "
    "akzeptanzkriterien, abnahmekriterien, critères d'acceptation, critérios de aceitação, 验收标准, "
    "elfogadási feltételek, elfogadási kritériumok",
    Word.MORE: "edge cases, error cases, error handling, corner cases, negative cases, happy path, scenarios, "
    "casos límite, randfälle, sonderfälle, grenzfälle, cas limites, casos limite, 边界情况, 异常情况, határesetek",
    Word.DEPENDS: "depends on, dependencies, dependency, blocked by, depende de, dependencias, abhängig von, "
    "abhängigkeiten, dépend de, dépendances, dependências, 依赖, függőségek, függ",
    Word.PRIORITY: "priority, prioridad, priorität, priorité, prioridade, 优先级, prioritás",
    Word.VERIFY: "verification, verify, verification commands, validation commands, test command, test commands, test, "
    "tests, check, checks, verificación, verifikation, prüfbefehle, vérification, verificação, 验证, 验证命令, "
    "ellenőrzés",
    Word.GATES: "quality gates, quality checks, quality commands, verification, verification commands, "
    "validation commands, test commands, checks, puertas de calidad, comandos de calidad, verificación, "
    "qualitätsprüfungen, prüfbefehle, verifikation, contrôles qualité, vérification, comandos de qualidade, "
    "verificação, 质量检查, 验证命令, minőségi kapuk, ellenőrzés",
    Word.NOTES: "note, notes, nota, notas, hinweis, hinweise, anmerkung, anmerkungen, remarque, remarques, 备注, "
    "megjegyzés, megjegyzések",
}
_WORDS = {row: frozenset(words.split(", ")) for row, words in _TABLE.items()}
_IN_STORY = (
    Word.CRITERIA,
    Word.MORE,
    Word.DEPENDS,
    Word.PRIORITY,
    Word.VERIFY,
    Word.DESCRIPTION,
    Word.NOTES,
)
_NUMBER = re.compile(r"^\d+(?:\.\d+)*[.)]?\s+")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^][]*\]|（[^（）]*）|【[^【】]*】")


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """A word as the table has it: without case, leading number, anything in brackets, and a final colon."""
    bare = _BRACKETS.sub(" ", text.replace("’", "'").replace("`", ""))
    bare = _NUMBER.sub("", bare.strip(), count=1).strip().rstrip(":：").strip()
    return " ".join(bare.casefold().split())


def means(text: str, row: Word) -> bool:
    """Whether `text` is one of the row's words."""
    return plain(text) in _WORDS[row]


def row_in_story(text: str) -> Word | None:
    """The row of a label within a story; sections (stories, gates) have no meaning there."""
    word = plain(text)
    return next((row for row in _IN_STORY if word in _WORDS[row]), None)


def known(text: str) -> bool:
    """Whether any row has it."""
    return any(plain(text) in words for words in _WORDS.values())
