"""What a measurement found: read, summed up and said, in both directions."""

import json

import pytest

from core.pytorch import measured

SETUP = {
    "kind": "setup", "lengths": [64, 128], "rounds": 5, "heads": 8, "d_k": 64, "seed": 0,
    "threads": 1, "processors": 2, "torch": "2.13.0",
}  # fmt: skip
NAIVE = (6.0, 8.0, 7.0, 9.0, 10.0)


def one(T: int, naive: float, fused: float = 2.0, full: float = 4.0) -> dict[str, object]:
    return {"kind": "round", "T": T, "naive": naive, "fused": fused, "full": full}


def compared(T: int, equal: bool = True, largest: float = 1e-7) -> dict[str, object]:
    return {"kind": "compared", "T": T, "equal": equal, "largest": largest}


def found(*records: dict[str, object], running: bool = False) -> measured.Measured:
    return measured.read_measured([json.dumps(record).encode() for record in records], running)


def test_a_spread_is_the_quartiles_and_a_ratio_is_taken_round_by_round():
    (length,) = found(SETUP, compared(64), *(one(64, x, x / 3) for x in NAIVE)).lengths
    assert (length.T, length.rounds) == (64, 5)
    assert length.naive == measured.Quartiles(7.0, 8.0, 9.0)
    assert length.gain.middle == pytest.approx(3)
    assert length.gain.high - length.gain.low == pytest.approx(0, abs=1e-12)
    assert length.gain_full == measured.Quartiles(7 / 4, 2.0, 9 / 4)


def test_a_t_is_told_when_all_its_rounds_are_done_or_in_the_end_enough_for_a_spread():
    few = [SETUP, compared(64), *(one(64, x) for x in NAIVE[:-1])]
    assert found(*few, running=True).lengths == ()
    assert [x.T for x in found(*few, one(64, 1.0), running=True).lengths] == [64]
    records = [SETUP, compared(64), *(one(64, x) for x in NAIVE[: measured.ENOUGH])]
    assert [length.rounds for length in found(*records).lengths] == [measured.ENOUGH]
    assert found(*records[:-1]).lengths == ()


def test_a_line_that_was_cut_off_is_left_out():
    lines = [json.dumps(SETUP), json.dumps(compared(64)), json.dumps(one(64, 1.0))[:-9], "", "7"]
    assert measured.read_measured(lines).now == "T = 64, 0 of 5 rounds done"


def test_what_is_done_grows_from_nothing_to_all():
    records = [SETUP, compared(64), *[one(64, 1.0)] * 5, compared(128), *[one(128, 1.0)] * 5]
    shares = [found(*records[:count]).done for count in range(len(records) + 1)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert shares[7] == pytest.approx(1 / 3)
    moments = [found(*records[:count]).now for count in (0, 1, 2, 4)]
    assert moments == [
        "loading PyTorch", "preparing", "T = 64, 0 of 5 rounds done", "T = 64, 2 of 5 rounds done"
    ]  # fmt: skip


def test_the_end_says_whether_all_rounds_were_done():
    assert not found(SETUP).ended
    assert found(SETUP, {"kind": "end", "all": True}).all
    short = found(SETUP, {"kind": "end", "all": False})
    assert (short.ended, short.all) == (True, False)


def test_the_largest_difference_is_that_of_all_t_and_one_that_is_not_equal_is_told():
    made = found(SETUP, compared(64, largest=3e-7), compared(128, largest=2e-7))
    assert (made.equal, made.largest) == (True, 3e-7)
    assert not found(SETUP, compared(64), compared(128, equal=False)).equal


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1.41e-4, "141 µs"), (9.87e-7, "0.99 µs"), (9.996e-6, "10.0 µs"), (9.996e-4, "1.00 ms"),
        (2.306e-3, "2.31 ms"), (0.0999, "99.9 ms"), (0.09996, "100 ms"), (1.2, "1.20 s"),
    ],
)  # fmt: skip
def test_a_time_is_said_in_a_unit_that_can_be_read(seconds: float, text: str):
    assert measured.duration_text(seconds) == text


@pytest.mark.parametrize(
    ("gain", "said"),
    [
        ((5.8, 6.0, 6.14), "was 6.0 times as fast as the naive one (half of the rounds: 5.8"),
        ((1.5, 1.5, 1.5), "was 1.5 times as fast as the naive one"),
        ((0.4, 0.5, 0.8), "took 2.0 times as long as the naive one (half of the rounds: 1.3"),
        ((0.9, 1.2, 1.4), "took about as long as the naive one: which was faster changed"),
        ((1.01, 1.02, 1.03), "took a little less time than the naive one"),
        ((0.97, 0.98, 0.99), "took a little more time than the naive one"),
    ],
)
def test_the_verdict_is_right_whichever_was_faster(gain: tuple[float, float, float], said: str):
    assert measured.gain_words(measured.Quartiles(*gain)).startswith(said)


def test_it_is_told_of_the_longest_t_and_of_both_ratios():
    records = [SETUP, compared(64), *[one(64, 3.0)] * 5, compared(128), *[one(128, 10.0)] * 5]
    assert measured.measured_words(found(*records)) == (
        "At T = 128 the fused form was 5.0 times as fast as the naive one. With the mask as a "
        "matrix, it multiplies for every pair, as the naive form does. Then it was 2.5 times as "
        "fast as the naive one."
    )
    assert measured.measured_words(found(SETUP)) == ""


def test_a_ratio_without_a_visible_spread_has_no_brackets():
    assert measured.spread_text(measured.Quartiles(2.0, 2.0, 2.04)) == "2.0"
    said = measured.spread_text(measured.Quartiles(1.9, 2.0, 2.2))
    assert said.replace("\u2060", "") == "2.0 (1.9–2.2)"
