"""The only place that starts processes: the port's implementation, and the person's signals."""

from prd_ralph.process.runner import SupervisedProcesses
from prd_ralph.process.signals import StopSignals

__all__ = ["StopSignals", "SupervisedProcesses"]
