"""Brings the loopback interface up, then becomes the command that follows: the first thing in a network namespace.

By ioctl, because not every machine has `ip`. Addresses 127.0.0.1 and ::1 come with the interface. Linux only.
"""

import fcntl
import os
import socket
import struct
import sys

# netdevice(7), and the numbers of linux/sockios.h and linux/if.h.
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1
_IFREQ = "16sh22x"


def raise_loopback() -> None:
    """Raises OSError where this is not permitted."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack(_IFREQ, b"lo", 0)
        _, flags = struct.unpack(_IFREQ, fcntl.ioctl(any_socket, _GET_FLAGS, asked))
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack(_IFREQ, b"lo", flags | _UP))


if __name__ == "__main__":
    raise_loopback()
    os.execvp(sys.argv[1], sys.argv[1:])
