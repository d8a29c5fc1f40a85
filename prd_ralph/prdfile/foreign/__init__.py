"""Files of other tools: their stories found, read by rules, and written as ours.

The rules stand in docs/import.md, each in a module: `finding` where the stories are; `text_fields`, `flags`, `ids`,
`priorities`, `references`, `commands` what is read; `reading` all of it; `story_out`, `file_out` what is written;
`importing` the way from bytes to bytes.
"""
