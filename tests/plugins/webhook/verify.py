#!/usr/bin/env python3
"""Checks requests as a receiver does, written from the Standard Webhooks specification
(https://github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md) with the standard
library alone.

  verify.py SECRET NOW < requests

A request is a line of four fields, with a tab between them: webhook-id, webhook-timestamp,
webhook-signature, and the body's bytes in hexadecimal. Prints each line that must be refused, with
the reason, and how many are good; exits with 1 if any was refused. NOW is the receiver's clock.
"""
import base64
import hashlib
import hmac
import sys

TOLERANCE = 5 * 60  # seconds


def key_of(secret):
    prefix = "whsec_"
    if not secret.startswith(prefix):
        raise SystemExit("a secret begins with " + prefix)
    key = base64.b64decode(secret[len(prefix):], validate=True)
    if not 24 <= len(key) <= 64:
        raise SystemExit("a secret has 24 to 64 bytes")
    return key


def fault(key, now, message_id, timestamp, signatures, body):
    """Why the request must be refused; None if it is good."""
    if not message_id or "." in message_id:
        return "no usable webhook-id"
    if not timestamp.isascii() or not timestamp.isdigit():
        return "webhook-timestamp is no number of seconds"
    if abs(int(timestamp) - now) > TOLERANCE:
        return "too old or from the future"
    signed = message_id.encode() + b"." + timestamp.encode() + b"." + body
    wanted = hmac.new(key, signed, hashlib.sha256).digest()
    for signature in signatures.split(" "):
        version, _, digest = signature.partition(",")
        if version != "v1":
            continue
        if hmac.compare_digest(base64.b64decode(digest, validate=True), wanted):
            return None
    return "no signature of it matches"


def main():
    key, now, good, bad = key_of(sys.argv[1]), int(sys.argv[2]), 0, 0
    for line in sys.stdin:
        message_id, timestamp, signatures, body = line.rstrip("\n").split("\t")
        reason = fault(key, now, message_id, timestamp, signatures, bytes.fromhex(body))
        if reason is None:
            good += 1
        else:
            bad += 1
            print(f"{message_id}: {reason}")
    print(f"{good} good")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
