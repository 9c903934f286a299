"""Frames between host and worker."""

import io

from emulator.host.worker.channel import encode_frame, read_frame


def test_a_frame_comes_back_with_its_body_as_it_was() -> None:
    stream = io.BytesIO(encode_frame({"kind": "é"}, b"\x00\xff") + encode_frame({"kind": "second"}))

    assert read_frame(stream) == ({"kind": "é"}, b"\x00\xff")
    assert read_frame(stream) == ({"kind": "second"}, b"")
    assert read_frame(stream) is None


def test_a_cut_frame_is_the_end() -> None:
    assert read_frame(io.BytesIO(encode_frame({"kind": "x"}, b"body")[:-1])) is None
