"""Who is told of a run while nobody looks at it."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from prd_ralph.cli.project import Project
from prd_ralph.notify import Notices, Teller, apprise_endpoint, command_endpoint
from prd_ralph.ports import Processes


@contextmanager
def telling(project: Project, processes: Processes) -> Iterator[Teller]:
    """Hears a run's events, and at its end says on stderr who could not be told of them."""
    settings = project.settings
    line, urls = settings.notify_command, settings.notify
    endpoints = [apprise_endpoint(processes, url, project.root, project.env) for url in urls]
    if line is not None:
        endpoints.append(command_endpoint(processes, line, project.root, project.env))
    teller = Teller(Notices(settings.notify_on, settings.max_cost), endpoints)
    try:
        yield teller
    finally:
        for warning in teller.close():
            typer.echo(f"warning: {project.mask.text(warning)}", err=True)
