"""From a person's markdown to stories, by rules alone: no text is lost in silence, nothing is invented.

Pure: bytes in, a frozen `Plan` out. A document takes this way, and each station is a module:
`reading`, `frontmatter` and `markdown` make a `document` of it; `outline` says where the stories and the gates are;
`stories`, `checklists`, `tables` and `onefile` make a `draft` of each story; `ids` names them; `parts` (over `labels`)
cuts each at its labels and `bodies` reads the parts; `gates` and `top` read what is outside the stories; `refusals` and
`notices` say what is wrong; `plan` puts it together, `output` writes it as JSON.
"""
