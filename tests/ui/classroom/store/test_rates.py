"""Guessing codes is slow, and sixty students of one school join at once."""

from tests.quotes import proves
from tests.ui.classroom.support import Clock
from ui.classroom.store import rates
from ui.classroom.store.rates import LOOKS, Found, Rate
from ui.classroom.store.room import LENGTH, LETTERS


def looks(clock: Clock) -> Rate:
    """The product's own rate, by a clock of the test's."""
    return Rate(int(LOOKS._most), LOOKS._each_second, clock)


def test_sixty_joins_of_one_address_in_a_minute_pass() -> None:
    clock = Clock()
    rate = looks(clock)
    for _ in range(2):  # each opens its page twice
        for _ in range(60):
            clock.now += 0.5
            assert rate.allows("192.0.2.1")


@proves("it may try one more each second | it may open one more each minute")
def test_guesses_are_slowed_to_one_a_second_of_each_address() -> None:
    clock = Clock()
    rate = looks(clock)
    assert sum(rate.allows("192.0.2.1") for _ in range(10_000)) == 120
    passed = 0
    for _ in range(3_600 * 8):
        clock.now += 1 / 8
        passed += rate.allows("192.0.2.1")
    assert passed == 3_600
    assert rate.allows("192.0.2.2")
    hits_a_day = 24 * 3_600 / len(LETTERS) ** LENGTH
    assert hits_a_day < 1 / 1_000  # of one room
    assert rates.NEW_ROOMS._each_second == 1 / 60


def test_a_rest_fills_the_bucket_and_never_more() -> None:
    clock = Clock()
    rate = Rate(3, 1, clock)
    assert [rate.allows("a") for _ in range(4)] == [True, True, True, False]
    clock.now += 1_000
    assert [rate.allows("a") for _ in range(4)] == [True, True, True, False]


def test_one_network_of_ipv6_is_one_address() -> None:
    rate = Rate(1, 1, Clock())
    assert rate.allows("2001:db8:0:1::1")
    assert not rate.allows("2001:db8:0:1:ffff::2")
    assert rate.allows("2001:db8:0:2::1")
    assert rate.allows("::ffff:192.0.2.1")
    assert rate.allows("::ffff:192.0.2.2")
    assert rate.allows(None)
    assert not rate.allows("")


def test_many_addresses_take_little_memory(monkeypatch) -> None:
    monkeypatch.setattr(rates, "MOST_ADDRESSES", 3)
    rate = Rate(1, 1, Clock())
    for n in range(10):
        assert rate.allows(str(n))
    assert len(rate._buckets) == 3
    assert not rate.allows("9")


def test_a_code_that_an_address_has_found_stays_found_for_its_network_alone(monkeypatch) -> None:
    monkeypatch.setattr(rates, "MOST_ADDRESSES", 2)
    found = Found()
    found.add("2001:db8:0:1::1", "CCCCCC")
    found.add(None, "DDDDDD")
    assert found.has("2001:db8:0:1:ffff::2", "CCCCCC")
    assert not found.has("2001:db8:0:2::1", "CCCCCC")
    assert not found.has("2001:db8:0:1::1", "DDDDDD")
    found.add("192.0.2.1", "CCCCCC")
    assert not found.has("2001:db8:0:1::1", "CCCCCC"), "little memory"
    assert found.has("", "DDDDDD")
