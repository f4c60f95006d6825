"""What an archive has of documents beside robots.txt is heard as of its capture; what it has not is no statement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from acap.clock import FixedClock
from acap.harvest.importing import import_warc
from acap.harvest.operator import Operator
from acap.harvest.proof import verify
from acap.harvest.store import open_store
from acap.harvest.sweep import sweep
from tests.test_audit_named_policies import offer
from tests.test_import import NOW, OPEN, SITE, Record, archive, robots
from tests.test_site_documents import ALL, SEARCHED, UNSEARCHED, UNUSED, tdmrep

if TYPE_CHECKING:
    from pathlib import Path

    from acap.harvest.store import Store

PAGE = Record(f"{SITE}/a", days=100)
NAMES_LICENCE = robots(OPEN + f"License: {SITE}/licence.xml\n".encode())
SIGN_IN = b"<!doctype html><html><title>Sign in</title></html>"
LINK = ("Link", '</licence.xml>; rel="license"; type="application/rsl+xml"')
FREE, PAID = offer(), offer(duty=[{"action": "compensate"}])
TRAINS = Operator(("examplebot",), usages=("ai-train",))


def document(body: bytes, path: str = "/.well-known/tdmrep.json", *, days: float = 100, status: int = 200) -> Record:
    """A capture of a document."""
    return Record(SITE + path, body, days, status, (("Content-Type", "application/json"),))


def held(store: Store, url: str = PAGE.url) -> tuple[bool, bool]:
    """Whether a page is indexed, and whether it is preserved."""
    version = store.resources.current_of(store.resources.find(url))
    return (False, False) if version is None else (version.is_indexed, version.place is not None)


def taken_in(directory: Path, *records: Record, operator: Operator = TRAINS) -> tuple[bool, bool]:
    """What is held of the page after all records were taken in, in one file."""
    directory.mkdir(exist_ok=True)
    file = archive(directory / "one.warc.gz", records)
    with open_store(directory / "store", operator=operator, clock=FixedClock(NOW)) as store, store.writing():
        import_warc(store, [file])
        assert verify(store).wrong == ()
        return held(store)


@pytest.mark.parametrize(
    ("said", "is_held"),
    [
        ((), True),
        ((document(tdmrep()),), False),
        ((document(tdmrep("/b")),), True),
        ((document(tdmrep(), "/.well-known/%74dmrep.json"),), False),
        ((document(tdmrep(), "/x/../.well-known/tdmrep.json#x"),), False),
        ((document(tdmrep(), "/x/.well-known/tdmrep.json"),), True),
        ((document(b"User-agent: *\nDisallow: /\n", "/ai%2Etxt"),), False),
        ((document(b"", status=404),), True),
        ((document(b"", status=403),), False),
        ((document(b"", status=503),), False),
        ((document(b"", status=301),), False),
        ((document(b"[{"),), False),
        ((document(tdmrep(), days=90), document(b"[]", days=80)), True),
        ((document(tdmrep(), days=80), document(b"[]", days=90)), False),
        ((document(tdmrep(), days=90), document(b"", days=80, status=503)), False),
        ((document(b"[]", days=90), document(b"", days=80, status=503)), True),
        ((document(b"[]", days=90), document(b"", days=50, status=503)), False),
        ((document(b"[]", days=90), document(tdmrep(), days=90)), False),
        ((document(SIGN_IN),), True),
        ((document(tdmrep(), days=90), document(SIGN_IN, days=80)), False),
        ((document(b"[]", days=90), document(SIGN_IN, days=80)), True),
        ((document(b"[]", days=90), document(SIGN_IN, days=40)), False),
        ((document(tdmrep(), days=90), document(b"[]", days=80, status=202)), False),
        ((document(b"[]", status=202),), False),
        ((document(b"User-Agent: *\nDisallow: /\n", "/ai.txt"),), False),
        (
            (
                document(tdmrep()),
                replace(document(b"[]", days=50), url="https://other.example/.well-known/tdmrep.json"),
            ),
            False,
        ),
    ],
)
def test_the_newest_capture_of_a_document_is_heard(tmp_path: Path, said: tuple[Record, ...], is_held: bool) -> None:
    assert taken_in(tmp_path / "held", robots(), PAGE, *said) == (is_held, is_held)


@pytest.mark.parametrize(
    ("licence", "is_held"),
    [((), (False, False)), ((ALL,), (True, True)), ((SEARCHED,), (False, False)), ((b"<rsl",), (False, False))],
)
def test_a_licence_in_the_archive_is_heard(
    tmp_path: Path, licence: tuple[bytes, ...], is_held: tuple[bool, bool]
) -> None:
    said = (document(body, "/licence.xml") for body in licence)
    assert taken_in(tmp_path / "held", NAMES_LICENCE, PAGE, *said) == is_held


@pytest.mark.parametrize(("days", "is_held"), [(99.5, True), (98, False)])
def test_a_copy_of_a_licence_ends_with_its_max_age(tmp_path: Path, days: float, is_held: bool) -> None:
    """As in a crawl: it stands in for a server that fails no longer than it says (RSL 1.0 3.1)."""
    licence = (
        b'<rsl xmlns="https://rslstandard.org/rsl" max-age="1"><content url="/"><license>'
        b'<permits type="usage">all</permits></license></content></rsl>'
    )
    failed = document(b"", "/licence.xml", days=days, status=503)
    plain = Operator(("examplebot",))
    by_page = (robots(), replace(PAGE, headers=(*PAGE.headers, LINK)))
    for name, records in {"robots": (NAMES_LICENCE, PAGE), "page": by_page}.items():
        held = taken_in(tmp_path / name, *records, document(licence, "/licence.xml"), failed, operator=plain)
        assert held == (is_held, is_held)


def aged(days: int) -> bytes:
    """A licence of every use, with this max-age."""
    return ALL.replace(b"<rsl ", b'<rsl max-age="%d" ' % days, 1)


@pytest.mark.parametrize(
    ("said", "is_held"),
    [
        ((document(ALL, "/licence.xml", days=130),), True),
        ((document(ALL, "/licence.xml", days=130.1),), False),
        ((document(ALL, "/licence.xml", days=300),), False),
        ((document(aged(7), "/licence.xml", days=107),), True),
        ((document(aged(7), "/licence.xml", days=108),), False),
        ((document(aged(365), "/licence.xml", days=131),), False),
        ((document(aged(7), "/licence.xml", days=108), document(aged(7), "/licence.xml", days=99)), True),
    ],
)
def test_a_licence_that_had_expired_when_a_page_was_captured_permits_nothing_of_it(
    tmp_path: Path, said: tuple[Record, ...], is_held: bool
) -> None:
    """As in an audit, whatever names it; what is named is known from then on, and the same import changes nothing."""
    by_page = replace(PAGE, headers=(*PAGE.headers, LINK))
    for name, records in {"robots": (NAMES_LICENCE, PAGE), "page": (robots(), by_page)}.items():
        for operator in (TRAINS, Operator(("examplebot",))):
            directory = tmp_path / f"{name}{len(operator.usages)}"
            assert taken_in(directory, *records, *said, operator=operator) == (is_held, is_held)
            with open_store(directory / "store", clock=FixedClock(NOW)) as store, store.writing():
                head = store.ledger.head
                import_warc(store, [directory / "one.warc.gz"])
                sweep(store)
                assert (store.ledger.head, held(store)) == (head, (is_held, is_held))


POLICY = f"{SITE}/policy.json"


@pytest.mark.parametrize(
    ("said", "is_held"),
    [
        ((), False),
        ((document(FREE, "/policy.json"),), True),
        ((document(FREE, "/policy%2Ejson"),), True),
        ((document(PAID, "/policy.json"),), False),
        ((document(b"", "/policy.json", status=404),), False),
        ((document(FREE, "/policy.json", days=99), document(b"", "/policy.json", days=98, status=503)), True),
        ((document(FREE, "/policy.json", days=99), document(b"", "/policy.json", days=98, status=410)), False),
        ((document(FREE, "/other.json"),), False),
    ],
)
def test_a_policy_that_a_tdmrep_json_names_is_looked_for_in_the_archives(
    tmp_path: Path, said: tuple[Record, ...], is_held: bool
) -> None:
    """One that is not there is unknown, as in a crawl, and prohibits; it may come in a later archive."""
    file = document(tdmrep(policy=POLICY))
    assert taken_in(tmp_path / "one", robots(), PAGE, file, *said) == (is_held, is_held)
    first = archive(tmp_path / "first.warc.gz", [robots(), file, PAGE])
    later = archive(tmp_path / "later.warc.gz", [robots(), PAGE, *said])
    with open_store(tmp_path / "store", operator=TRAINS, clock=FixedClock(NOW)) as store, store.writing():
        import_warc(store, [first])
        assert held(store) == (False, False)
        import_warc(store, [later])
        sweep(store)
        assert held(store) == (is_held, is_held)
        assert verify(store).wrong == ()


@pytest.mark.parametrize("status", [503, 202, 404])
@pytest.mark.parametrize("path", ["/.well-known/tdmrep.json", "/ai.txt"])
def test_a_site_that_names_the_document_of_another_one_takes_nothing_from_it(
    tmp_path: Path, status: int, path: str
) -> None:
    """What came there is heard of the site itself, whoever calls it a policy."""
    other = "https://other.example"
    file = replace(document(tdmrep(policy=SITE + path)), url=f"{other}/.well-known/tdmrep.json")
    theirs = replace(robots(), url=f"{other}/robots.txt")
    for name, named in (("named", [theirs, file]), ("plain", [])):
        parts = [robots()], [*named, document(b"", path, status=status)], [PAGE]
        with open_store(tmp_path / name, operator=TRAINS, clock=FixedClock(NOW)) as store, store.writing():
            for number, part in enumerate(parts):
                import_warc(store, [archive(tmp_path / f"{name}{number}.warc.gz", part)])
                sweep(store)
            assert held(store) == ((True, True) if status == 404 else (False, False))


def test_a_public_site_has_no_documents_in_a_private_network(tmp_path: Path) -> None:
    """As in a crawl, which does not go there from a site of others."""
    inside = "http://10.0.0.7/x"
    said = replace(document(FREE, ""), url=inside)
    assert taken_in(tmp_path / "policy", robots(), PAGE, document(tdmrep(policy=inside)), said) == (False, False)
    licence = replace(document(ALL, ""), url=inside)
    named = robots(OPEN + f"License: {inside}\n".encode())
    assert taken_in(tmp_path / "robots", named, PAGE, licence) == (False, False)
    by_page = replace(PAGE, headers=(*PAGE.headers, ("Link", f'<{inside}>; rel="license"; type="application/rsl+xml"')))
    assert taken_in(tmp_path / "page", robots(), by_page, licence) == (False, False)


def test_licences_are_heard_for_search_too(tmp_path: Path) -> None:
    """Without usages of the operator nothing else of them matters."""
    plain = Operator(("examplebot",))
    said = document(UNSEARCHED, "/licence.xml"), document(tdmrep())
    assert taken_in(tmp_path / "held", NAMES_LICENCE, PAGE, *said, operator=plain) == (False, True)
    assert taken_in(tmp_path / "unknown", NAMES_LICENCE, PAGE, said[1], operator=plain) == (False, False)
    assert taken_in(tmp_path / "free", robots(), PAGE, said[1], operator=plain) == (True, True)


@pytest.mark.parametrize(
    ("said", "is_held"),
    [
        ((document(ALL, "/licence.xml"),), (True, True)),
        ((document(ALL, "/licence%2Exml"),), (True, True)),
        ((document(UNSEARCHED, "/licence.xml"),), (False, True)),
        ((document(ALL, "/licence.xml", days=99), document(UNSEARCHED, "/licence.xml", days=98)), (False, True)),
        ((document(UNSEARCHED, "/licence.xml", days=99), document(ALL, "/licence.xml", days=98)), (True, True)),
        ((document(ALL, "/licence.xml", days=99), document(b"", "/licence.xml", days=98, status=503)), (True, True)),
        ((document(ALL, "/licence.xml", days=99), document(b"", "/licence.xml", days=98, status=404)), (False, False)),
        ((document(ALL, "/other.xml"),), (False, False)),
    ],
)
@pytest.mark.parametrize("html", [False, True])
def test_a_licence_that_pages_alone_name_is_looked_for_in_the_archives(
    tmp_path: Path, said: tuple[Record, ...], is_held: tuple[bool, bool], *, html: bool
) -> None:
    """Wherever it stands in them, and whoever keeps the page."""
    head = b'<link rel="license" type="application/rsl+xml" href="/licence.xml">'
    named = replace(PAGE, body=head + PAGE.body) if html else replace(PAGE, headers=(*PAGE.headers, LINK))
    plain = Operator(("examplebot",))
    assert taken_in(tmp_path / "after", robots(), named, *said, operator=plain) == is_held
    assert taken_in(tmp_path / "before", *said, robots(), named, operator=plain) == is_held


def test_the_pages_of_a_site_name_few_licences_in_archives_too(tmp_path: Path) -> None:
    """As many as in a crawl; whatever is beyond them is unknown."""
    pages = [
        Record(f"{SITE}/{n}", days=100, headers=(*PAGE.headers, (LINK[0], LINK[1].replace("licence", f"l{n}"))))
        for n in range(20)
    ]
    with open_store(tmp_path / "store", operator=Operator(("examplebot",)), clock=FixedClock(NOW)) as store:
        file = archive(tmp_path / "one.warc.gz", [robots(), *pages, *(document(ALL, f"/l{n}.xml") for n in range(20))])
        with store.writing():
            import_warc(store, [file])
            assert [held(store, page.url) for page in pages].count((True, True)) == 16
            assert verify(store).wrong == ()


def test_a_page_whose_licence_is_not_known_is_not_kept(tmp_path: Path) -> None:
    named = replace(PAGE, headers=(*PAGE.headers, LINK))
    plain = Operator(("examplebot",))
    assert taken_in(tmp_path / "held", robots(), named, operator=plain) == (False, False)
    assert taken_in(tmp_path / "free", robots(), PAGE, operator=plain) == (True, True)
    said = document(ALL, "/licence.xml")
    assert taken_in(tmp_path / "known", NAMES_LICENCE, named, said, operator=plain) == (True, True)


@pytest.mark.parametrize(("terms", "is_held"), [(ALL, (True, True)), (UNSEARCHED, (False, True)), (b"", (True, True))])
def test_terms_in_a_later_answer_are_heard(tmp_path: Path, terms: bytes, is_held: tuple[bool, bool]) -> None:
    """As in a crawl."""
    asked = replace(PAGE, body=terms, days=99, status=402)
    assert taken_in(tmp_path, robots(), PAGE, asked, operator=Operator(("examplebot",))) == is_held


def test_documents_may_come_in_another_call(tmp_path: Path) -> None:
    """Before the page, or after it, when they withdraw it; the same once more changes nothing."""
    pages = archive(tmp_path / "pages.warc.gz", [robots(), PAGE])
    documents = archive(tmp_path / "documents.warc.gz", [robots(days=99.5), document(tdmrep(), days=99)])
    for number, files in enumerate(([documents, pages], [pages, documents], [pages, documents, documents, pages])):
        with open_store(tmp_path / str(number), operator=TRAINS, clock=FixedClock(NOW)) as store, store.writing():
            for file in files:
                import_warc(store, [file])
            sweep(store)
            assert held(store) == (False, False)
            known = len(list(store.policies.digests()))
            head = store.ledger.head
            for file in files:
                import_warc(store, [file])
            assert sweep(store).acts == []
            assert (len(list(store.policies.digests())), store.ledger.head) == (known, head)
            assert verify(store).wrong == ()


@pytest.mark.parametrize("by_page", [False, True])
def test_a_licence_in_another_call_is_heard(tmp_path: Path, *, by_page: bool) -> None:
    """Alone in its archive: it withdraws what an older one permitted, and a page that waited is judged when it is given
    again. The same once more changes nothing."""
    named = replace(PAGE, headers=(*PAGE.headers, LINK)) if by_page else PAGE
    page = archive(tmp_path / "page.warc.gz", [robots() if by_page else NAMES_LICENCE, named])
    permits = archive(tmp_path / "permits.warc.gz", [document(ALL, "/licence.xml", days=99)])
    refuses = archive(tmp_path / "refuses.warc.gz", [document(UNUSED, "/licence.xml", days=98)])
    plain = Operator(("examplebot",))
    with open_store(tmp_path / "store", operator=plain, clock=FixedClock(NOW)) as store, store.writing():
        for file, is_held in ((page, False), (permits, False), (page, True), (refuses, False), (page, False)):
            import_warc(store, [file])
            sweep(store)
            assert held(store) == (is_held, is_held)
        head = store.ledger.head
        for file in (page, permits, refuses, page):
            import_warc(store, [file])
            sweep(store)
        assert (store.ledger.head, held(store)) == (head, (False, False))
        assert verify(store).wrong == ()


def test_a_policy_is_no_newer_for_its_documents(tmp_path: Path) -> None:
    """A robots.txt speaks for 30 days, whenever a document beside it was captured."""
    late = replace(PAGE, days=60)
    assert taken_in(tmp_path / "held", robots(days=100), document(b"[]", days=75), late) == (False, False)
    with open_store(tmp_path / "held" / "store", clock=FixedClock(NOW)) as store, store.writing():
        again = archive(tmp_path / "again.warc.gz", [late])
        import_warc(store, [again])
        assert held(store) == (False, False)


@pytest.mark.parametrize("place", range(3))
def test_damage_is_never_looser_than_a_document_that_is_there(tmp_path: Path, place: int) -> None:
    """Octets of the archive are changed at some place: what the tdmrep.json prohibits is not held."""
    file = archive(tmp_path / "whole.warc.gz", [robots(), document(tdmrep()), PAGE, robots(days=99)])
    octets = file.read_bytes()
    for at in range(len(octets) * place // 3, len(octets) * (place + 1) // 3, 23):
        broken = tmp_path / "broken.warc.gz"
        broken.write_bytes(octets[:at] + bytes([octets[at] ^ 0x55]) + octets[at + 1 :])
        where = tmp_path / f"store-{at}"
        with open_store(where, operator=TRAINS, clock=FixedClock(NOW)) as store, store.writing():
            store.database.run("PRAGMA synchronous = OFF")
            import_warc(store, [broken])
            assert held(store) == (False, False), at
