"""XMP in all its forms, and the licence facts in it."""

from __future__ import annotations

import pytest

from acap.pages.embedded import Licence, Licensor, Localised, Party, RightsExpression, parse_embedded
from tests import embedded_files as files
from tests.test_embedded import EVERYTHING, codes, expressions, said

VALUE = files.VOCABULARY + "DMI-PROHIBITED"
FORMS = {
    "element": files.packet(f"<plus:DataMining>{VALUE}</plus:DataMining>"),
    "element with blanks": files.packet(f"<plus:DataMining>\n {VALUE}\n</plus:DataMining>"),
    "element with a comment in it": files.packet(f"<plus:DataMining>{VALUE[:-1]}<!--x-->D</plus:DataMining>"),
    "element with CDATA": files.packet(f"<plus:DataMining><![CDATA[{VALUE}]]></plus:DataMining>"),
    "element with a character reference": files.packet(f"<plus:DataMining>{VALUE[:-1]}&#x44;</plus:DataMining>"),
    "element with a language": files.packet(f'<plus:DataMining xml:lang="en">{VALUE}</plus:DataMining>'),
    "attribute": files.packet("", attributes=f'plus:DataMining="{VALUE}"'),
    "resource": files.packet(f'<plus:DataMining rdf:resource="{VALUE}"/>'),
    "node": files.packet(f'<plus:DataMining><rdf:Description rdf:about="{VALUE}"/></plus:DataMining>'),
    "value with a qualifier": files.packet(
        f'<plus:DataMining rdf:parseType="Resource"><rdf:value>{VALUE}</rdf:value><dc:a>x</dc:a></plus:DataMining>'
    ),
    "value of a node": files.packet(
        f'<plus:DataMining><rdf:Description><rdf:value rdf:resource="{VALUE}"/></rdf:Description></plus:DataMining>'
    ),
    "literal": files.packet(f'<plus:DataMining rdf:parseType="Literal">{VALUE}</plus:DataMining>'),
    "bag": files.packet(f"<plus:DataMining><rdf:Bag><rdf:li>{VALUE}</rdf:li></rdf:Bag></plus:DataMining>"),
    "bag of resources": files.packet(
        f'<plus:DataMining><rdf:Bag><rdf:li rdf:resource="{VALUE}"/></rdf:Bag></plus:DataMining>'
    ),
    "numbered member": files.packet(f"<plus:DataMining><rdf:Seq><rdf:_1>{VALUE}</rdf:_1></rdf:Seq></plus:DataMining>"),
    "alternative": files.packet(
        f'<plus:DataMining><rdf:Alt><rdf:li xml:lang="x-default">{VALUE}</rdf:li></rdf:Alt></plus:DataMining>'
    ),
    "nested description": files.packet(
        f"<rdf:Description><plus:DataMining>{VALUE}</plus:DataMining></rdf:Description>"
    ),
    "second description": files.packet(
        f'</rdf:Description><rdf:Description xmlns:p="{files.NAMESPACES["plus"]}" rdf:about="" p:DataMining="{VALUE}">'
    ),
    "typed node": files.packet("").replace(b"rdf:Description", b"dc:Image").replace(
        b'about="" ', f'about="" plus:DataMining="{VALUE}" '.encode()
    ),
    "another prefix": files.packet(f'<p:DataMining xmlns:p="{files.NAMESPACES["plus"]}">{VALUE}</p:DataMining>'),
    "no wrapper": files.packet(f"<plus:DataMining>{VALUE}</plus:DataMining>").split(b"?>\n")[1].split(b"\n<?")[0],
    "an XML declaration": b'<?xml version="1.0" encoding="UTF-8"?>\n' + files.data_mining("DMI-PROHIBITED"),
    "padding": files.data_mining("DMI-PROHIBITED") + b" \n" * 2_000 + b"\0\0",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_value_is_read_in_every_form_of_rdf(form: str) -> None:
    """However a writer spells the graph, the statement is the same."""
    policy = parse_embedded(FORMS[form])
    assert (policy.format, said(policy), codes(policy)) == ("xmp", EVERYTHING, [])
    assert policy.claims[0].text == f"plus:DataMining {VALUE}"


@pytest.mark.parametrize("mark", ["", "\n ", "\ufeff"], ids=["bare", "blank", "marked"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_packet_is_read_in_every_encoding_of_unicode(encoding: str, mark: str) -> None:
    """XMP may be UTF-8, UTF-16 or UTF-32, with a byte order mark or without."""
    text = files.packet(f"<plus:DataMining>{VALUE}</plus:DataMining><photoshop:Credit>Zoë</photoshop:Credit>").decode()
    for data in ((mark + text).encode(encoding), files.webp((mark + text).encode(encoding))):
        policy = parse_embedded(data)
        assert (said(policy), codes(policy), policy.licence.credit) == (EVERYTHING, [], "Zoë")


def test_a_property_of_another_thing_is_not_the_files() -> None:
    """What is said of an ingredient is not said of the file; nor is DataMining of another namespace."""
    inner = (
        f'<xmpMM:Ingredients rdf:parseType="Resource"><plus:DataMining>{VALUE}</plus:DataMining></xmpMM:Ingredients>'
    )
    namespaces = {"xmpMM": "http://ns.adobe.com/xap/1.0/mm/", "my": "http://example.com/my/"}
    octets = files.packet(f"{inner}<my:DataMining>{VALUE}</my:DataMining>", namespaces=namespaces)
    policy = parse_embedded(octets)
    assert (said(policy), codes(policy), policy.licence) == ([], [], Licence())


PLUS, RIGHTS, TDM = (files.NAMESPACES[prefix] for prefix in ("plus", "xmpRights", "tdm"))


@pytest.mark.parametrize(
    "form",
    [
        '<plus:DataMining rdf:resource="{allowed}">{value}</plus:DataMining>',
        '<plus:DataMining rdf:resource="{allowed}" rdf:value="{value}"/>',
        '<plus:DataMining><rdf:Bag><rdf:li rdf:resource="{allowed}">{value}</rdf:li></rdf:Bag></plus:DataMining>',
    ],
)
def test_a_value_that_contradicts_itself_prohibits(form: str) -> None:
    found = form.format(value=VALUE, allowed=files.VOCABULARY + "DMI-ALLOWED")
    assert set(EVERYTHING) <= set(said(parse_embedded(files.packet(found))))


def alternatives(name: str, **texts: str) -> str:
    items = "".join(f'<rdf:li xml:lang="{code}">{text}</rdf:li>' for code, text in texts.items())
    return f"<{name}><rdf:Alt>{items}</rdf:Alt></{name}>"


def parties(name: str, *fields: str) -> str:
    items = "".join(f'<rdf:li rdf:parseType="Resource">{one}</rdf:li>' for one in fields)
    return f"<plus:{name}><rdf:Seq>{items}</rdf:Seq></plus:{name}>"


def bag(name: str, *values: str) -> str:
    return f"<{name}><rdf:Bag>{''.join(f'<rdf:li>{value}</rdf:li>' for value in values)}</rdf:Bag></{name}>"


LICENSOR = (
    "<plus:LicensorName>Agency</plus:LicensorName><plus:LicensorID>PLUS-1</plus:LicensorID>"
    "<plus:LicensorURL>https://example.com/</plus:LicensorURL><plus:LicensorEmail>a@example.com</plus:LicensorEmail>"
    "<plus:LicensorTelephone1>1</plus:LicensorTelephone1><plus:LicensorTelephone2>2</plus:LicensorTelephone2>"
    "<plus:LicensorCity>Ghent</plus:LicensorCity>"
)
OWNER = "<plus:CopyrightOwnerName>A</plus:CopyrightOwnerName><plus:CopyrightOwnerID>7</plus:CopyrightOwnerID>"
EXPRESSION = (
    "<Iptc4xmpExt:EncRightsExpr>{}</Iptc4xmpExt:EncRightsExpr>"
    "<Iptc4xmpExt:RightsExprEncType>application/json</Iptc4xmpExt:RightsExprEncType>"
    "<Iptc4xmpExt:RightsExprLangId>odrl</Iptc4xmpExt:RightsExprLangId>"
)
LINK = '<rdf:li Iptc4xmpExt:LinkedRightsExpr="https://example.com/o"/>'
FACTS = "".join(
    [
        parties("Licensor", LICENSOR, "<plus:LicensorName>Other</plus:LicensorName>"),
        parties("CopyrightOwner", OWNER),
        parties("ImageCreator", "<plus:ImageCreatorName>B</plus:ImageCreatorName>"),
        "<dc:creator><rdf:Seq><rdf:li>B</rdf:li><rdf:li>C</rdf:li></rdf:Seq></dc:creator>",
        parties("ImageSupplier", "<plus:ImageSupplierName>D</plus:ImageSupplierName>"),
        parties("Licensee", "<plus:LicenseeName>E</plus:LicenseeName>"),
        parties("EndUser", "<plus:EndUserName>F</plus:EndUserName>"),
        alternatives("dc:rights", **{"x-default": "© A", "fr": "© Â"}),
        "<xmpRights:Marked>True</xmpRights:Marked>",
        "<xmpRights:WebStatement>https://example.com/rights</xmpRights:WebStatement>",
        alternatives("xmpRights:UsageTerms", en="Ask"),
        bag("xmpRights:Owner", "A", "B"),
        "<xmpRights:Certificate>https://example.com/c</xmpRights:Certificate>",
        "<photoshop:Credit>A/Agency</photoshop:Credit>",
        "<photoshop:City>Ghent</photoshop:City>",
        f"<plus:CopyrightStatus>{files.VOCABULARY}CS-PRO</plus:CopyrightStatus>",
        "<plus:CreditLineRequired>CR-CAI</plus:CreditLineRequired>",
        bag("plus:ImageAlterationConstraints", "AL-CRP", "AL-FLP"),
        "<plus:ImageDuplicationConstraints>DP-NOD</plus:ImageDuplicationConstraints>",
        bag("plus:ImageFileConstraints", "IF-MFN"),
        alternatives("plus:MediaConstraints", en="media"),
        alternatives("plus:RegionConstraints", en="region"),
        alternatives("plus:ProductOrServiceConstraints", en="product"),
        alternatives("plus:OtherConstraints", en="other"),
        alternatives("plus:OtherLicenseRequirements", en="requirements"),
        bag("plus:OtherLicenseDocuments", "documents"),
        alternatives("plus:OtherLicenseInfo", en="info"),
        alternatives("plus:OtherLicenseConditions", en="conditions"),
        "<plus:Reuse>RE-NAP</plus:Reuse>",
        "<plus:AdultContentWarning>CW-NRQ</plus:AdultContentWarning>",
        "<plus:LicenseStartDate>2026-01-01</plus:LicenseStartDate>",
        "<plus:LicenseEndDate>2026-12</plus:LicenseEndDate>",
        alternatives("plus:TermsAndConditionsText", en="terms"),
        "<plus:TermsAndConditionsURL>https://example.com/t</plus:TermsAndConditionsURL>",
        "<plus:LicenseID>L1</plus:LicenseID>",
        bag("plus:LicensorTransactionID", "T1", "T2"),
        "<plus:MediaSummaryCode>|PLUS|V0121|</plus:MediaSummaryCode>",
        f"<plus:DataMining>{VALUE}</plus:DataMining>",
        expressions("EmbdEncRightsExpr", EXPRESSION),
        f"<Iptc4xmpExt:LinkedEncRightsExpr><rdf:Bag>{LINK}</rdf:Bag></Iptc4xmpExt:LinkedEncRightsExpr>",
        '<cc:license rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>',
        "<tdm:reservation>1</tdm:reservation>",
        "<plus:Version>1.2.0</plus:Version>",
        "<plus:LicenseID>L2</plus:LicenseID>",
    ]
)  # fmt: skip
EXPECTED = Licence(
    licensors=(Licensor("Agency", "PLUS-1", "https://example.com/", "a@example.com", ("1", "2")), Licensor("Other")),
    copyright_owners=(Party("A", "7"),),
    creators=(Party("B"), Party("C")),
    suppliers=(Party("D"),),
    licensees=(Party("E"),),
    end_users=(Party("F"),),
    rights=(Localised("x-default", "© A"), Localised("fr", "© Â")),
    marked=True,
    web_statement="https://example.com/rights",
    usage_terms=(Localised("en", "Ask"),),
    owners=("A", "B"),
    credit="A/Agency",
    copyright_status=f"{files.VOCABULARY}CS-PRO",
    credit_line_required="CR-CAI",
    image_alteration_constraints=("AL-CRP", "AL-FLP"),
    image_duplication_constraints="DP-NOD",
    image_file_constraints=("IF-MFN",),
    media_constraints=(Localised("en", "media"),),
    region_constraints=(Localised("en", "region"),),
    product_or_service_constraints=(Localised("en", "product"),),
    other_constraints=(Localised("en", "other"),),
    other_licence_requirements=(Localised("en", "requirements"),),
    other_licence_documents=("documents",),
    other_licence_info=(Localised("en", "info"),),
    other_licence_conditions=(Localised("en", "conditions"),),
    reuse="RE-NAP",
    adult_content_warning="CW-NRQ",
    licence_start_date="2026-01-01",
    licence_end_date="2026-12",
    terms_and_conditions_text=(Localised("en", "terms"),),
    terms_and_conditions_url="https://example.com/t",
    licence_id="L1",
    licensor_transaction_ids=("T1", "T2"),
    media_summary_code="|PLUS|V0121|",
    data_mining=(VALUE,),
    embedded_rights_expressions=(RightsExpression("{}", "application/json", "odrl"),),
    linked_rights_expressions=(RightsExpression("https://example.com/o"),),
    licences=("https://creativecommons.org/licenses/by/4.0/",),
    others=(
        (PLUS, "LicensorCity", "Ghent"),
        (RIGHTS, "Certificate", "https://example.com/c"),
        (TDM, "reservation", "1"),
        (PLUS, "Version", "1.2.0"),
        (PLUS, "LicenseID", "L2"),
    ),
)


def test_every_licence_fact_has_its_field() -> None:
    """G 1.3: each property is found in the field named for it, and what has none among the others."""
    policy = parse_embedded(files.packet(FACTS))
    assert policy.licence == EXPECTED
    assert policy.problems == ()
    empty = [name for name in Licence.__slots__ if getattr(EXPECTED, name) == getattr(Licence(), name)]
    assert empty == []  # so that every field was tried


@pytest.mark.parametrize("container", files.CONTAINERS)
def test_licence_facts_are_read_wherever_they_stand(container: str) -> None:
    """A container changes nothing about them."""
    assert parse_embedded(files.CONTAINERS[container](files.packet(FACTS))).licence == EXPECTED


def test_facts_of_two_packets_stand_together() -> None:
    """What the second packet adds is added, and where it differs from the first nothing is lost."""
    first = files.packet(
        "<plus:LicenseID>1</plus:LicenseID><xmpRights:Marked>1</xmpRights:Marked>" + bag("xmpRights:Owner", "A")
    )
    second = files.packet(
        "<plus:LicenseID>2</plus:LicenseID><plus:Reuse>R</plus:Reuse>" + bag("xmpRights:Owner", "A", "B")
    )
    licence = parse_embedded(files.jpeg(first, second)).licence
    assert (licence.licence_id, licence.reuse, licence.owners, licence.marked) == ("1", "R", ("A", "B"), True)
    assert licence.others == ((PLUS, "LicenseID", "2"),)


def test_a_flag_that_is_none_is_kept_as_it_stands() -> None:
    """xmpRights:Marked is true or false; what is neither is unknown, and not lost."""
    flags = {"False": (False, ()), "maybe": (None, ((RIGHTS, "Marked", "maybe"),))}
    for text, expected in flags.items():
        licence = parse_embedded(files.packet(f"<xmpRights:Marked>{text}</xmpRights:Marked>")).licence
        assert (licence.marked, licence.others) == expected
