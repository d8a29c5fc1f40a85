"""Texts that look like secrets, put together so that no scanner takes this file for a leak."""

MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z"
LINES = "\n".join(f"{MIXED}{MIXED}{number:08d}" for number in range(5))

TOKENS = {
    "anthropic": "sk-" + "ant-api03-" + MIXED * 3,
    "openai": "sk-" + "proj-" + MIXED * 4,
    "openai, older": "sk-" + MIXED * 2,
    "github": "gh" + "p_" + MIXED + MIXED[:8],
    "github app": "gh" + "s_" + MIXED + MIXED[:8],
    "github, fine-grained": "github" + "_pat_" + MIXED[:22] + "_" + MIXED * 2,
    "gitlab": "gl" + "pat-" + MIXED[:20],
    "gitlab, routable": "gl" + "pat-" + MIXED + ".01." + MIXED[:9],
    "slack": "xox" + "b-123456789012-" + MIXED,
    "aws": "AK" + "IA" + "Q7R6S5T4U3V2W1X0",
    "aws, temporary": "AS" + "IA" + "Q7R6S5T4U3V2W1X0",
    "google": "AI" + "za" + MIXED + MIXED[:7],
    "npm": "np" + "m_" + MIXED + MIXED[:8],
    "pypi": "pypi-" + "AgEIcHlwaS5vcmc" + MIXED * 3,
    "hugging face": "h" + "f_" + MIXED + MIXED[:6],
    "stripe": "sk_" + "live_" + MIXED,
    "stripe, restricted": "rk_" + "test_" + MIXED,
    "sendgrid": "S" + "G." + MIXED[:22] + "." + (MIXED * 2)[:43],
    "jwt": "ey" + "J" + MIXED + ".ey" + "J" + MIXED + "." + MIXED,
}

KEYS = {
    "pkcs8": f"-----BEGIN {'PRIVATE'} KEY-----\n{LINES}\n{MIXED[:10]}==\n-----END {'PRIVATE'} KEY-----",
    "one line": f"-----BEGIN {'PRIVATE'} KEY-----{LINES}-----END {'PRIVATE'} KEY-----".replace("\n", ""),
    "short": f"-----BEGIN EC {'PRIVATE'} KEY-----\n{MIXED}\n-----END EC {'PRIVATE'} KEY-----",
    "encrypted": (
        f"-----BEGIN RSA {'PRIVATE'} KEY-----\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-256-CBC,0A1B2C3D4E5F\r\n\r\n"
        + LINES.replace("\n", "\r\n")
        + f"\r\n-----END RSA {'PRIVATE'} KEY-----"
    ),
    "openpgp": (
        f"-----BEGIN PGP {'PRIVATE'} KEY BLOCK-----\nVersion: 1\n\n{LINES}\n{MIXED[:9]}\n=aB3d\n"
        f"-----END PGP {'PRIVATE'} KEY BLOCK-----"
    ),
    "cut off": f"-----BEGIN OPENSSH {'PRIVATE'} KEY-----\n{LINES}",
}
