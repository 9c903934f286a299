"""The two hash functions of the language; they return the same values as ARM."""

import uuid

ARM_NAMESPACE = uuid.UUID("11fb06fb-712d-4ddd-98c7-e71bbd588830")
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
MASK = 0xFFFF_FFFF
# The first two of the four lanes of MurmurHash3 x86 128; ARM's hash uses only these two.
MULTIPLIERS = (0x239B961B, 0xAB0E9789)
LANES = ((15, 19, 0x561CCD1B), (17, 13, 0x0BCAA747))
AVALANCHE = (0x85EBCA6B, 0xC2B2AE35)


def arm_guid(*texts: str) -> str:
    """Return guid(texts): an RFC 4122 version 5 id of the texts joined by hyphens, in ARM's namespace."""
    return str(uuid.uuid5(ARM_NAMESPACE, "-".join(texts)))


def unique_string(*texts: str) -> str:
    """Return uniqueString(texts): 64 bits of a MurmurHash in 13 letters and digits.

    ARM publishes no algorithm. This one returns the values that others recorded from ARM and Bicep (see the tests).
    """
    value = _murmur64("-".join(texts).encode())
    return "".join(ALPHABET[(value << 5 * place & (1 << 64) - 1) >> 59] for place in range(13))


def _murmur64(data: bytes) -> int:
    """Return a 64-bit hash from two lanes of 32 bits; each lane reads every other word of four bytes."""
    state = [0, 0]
    whole = len(data) - len(data) % 8
    for offset in range(0, whole, 8):
        for lane, (_, turn, increment) in enumerate(LANES):
            word = int.from_bytes(data[offset + 4 * lane : offset + 4 * lane + 4], "little")
            mixed = _rotate(state[lane] ^ _scramble(word, lane), turn) + state[1 - lane]
            state[lane] = (mixed * 5 + increment) & MASK
    for lane in range(2):
        tail = data[whole + 4 * lane : whole + 4 * lane + 4]
        state[lane] ^= _scramble(int.from_bytes(tail, "little"), lane)
    first, second = _couple(state[0] ^ len(data), state[1] ^ len(data))
    first, second = _couple(_finish(first), _finish(second))
    return second << 32 | first


def _couple(first: int, second: int) -> tuple[int, int]:
    first = (first + second) & MASK
    return first, (second + first) & MASK


def _scramble(word: int, lane: int) -> int:
    before, after = MULTIPLIERS[lane], MULTIPLIERS[1 - lane]
    return _rotate(word * before & MASK, LANES[lane][0]) * after & MASK


def _rotate(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & MASK


def _finish(word: int) -> int:
    for shift, factor in zip((16, 13), AVALANCHE, strict=True):
        word = (word ^ word >> shift) * factor & MASK
    return word ^ word >> 16
