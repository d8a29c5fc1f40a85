"""Notices: what of a run's events is worth to be sent to a person who is away, and its sending.

Nothing of it may hold a run up, stop it, or move a verdict: notices are sent from a thread of their own, by processes
of their own, each within a time limit.
"""

from prd_ralph.notify.endpoints import apprise_endpoint, command_endpoint
from prd_ralph.notify.notices import Notice, Notices
from prd_ralph.notify.teller import Endpoint, Teller
from prd_ralph.notify.urls import missing, refused, shown

__all__ = [
    "Endpoint",
    "Notice",
    "Notices",
    "Teller",
    "apprise_endpoint",
    "command_endpoint",
    "missing",
    "refused",
    "shown",
]
