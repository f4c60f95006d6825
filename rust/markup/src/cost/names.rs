//! What the names of elements mean to a tree builder.

/// Ends every search for an element in scope.
pub(crate) const SCOPE: u32 = 1;
/// Ends the search for a P in button scope.
pub(crate) const BUTTON: u32 = 1 << 1;
/// Ends the search of an end tag that has no rule of its own.
pub(crate) const SPECIAL: u32 = 1 << 2;
/// Special, and yet no end of the search for a list item.
pub(crate) const LOOSE: u32 = 1 << 3;
/// Has no content.
pub(crate) const VOID: u32 = 1 << 4;
/// Its start closes a P, in every builder.
pub(crate) const CLOSES_P: u32 = 1 << 5;
/// Formatting elements are copied.
pub(crate) const FORMATTING: u32 = 1 << 6;
/// Its content is text.
pub(crate) const RAW: u32 = 1 << 7;
/// A row, a cell and what else stands in tables only.
pub(crate) const PART: u32 = 1 << 8;
/// A part with content of its own.
pub(crate) const CELL: u32 = 1 << 9;
/// Its start leaves SVG and MathML, in every builder.
pub(crate) const LEAVES: u32 = 1 << 10;
/// In SVG or MathML its content may be HTML.
pub(crate) const BRIDGE: u32 = 1 << 11;
/// A list: its items are looked for no further.
pub(crate) const LIST: u32 = 1 << 12;
/// The end tag of one heading closes another.
pub(crate) const HEADING: u32 = 1 << 13;
/// Its end tag closes it through special elements.
pub(crate) const BLOCK: u32 = 1 << 14;
/// TABLE or TEMPLATE, on which parts stand.
pub(crate) const HOST: u32 = 1 << 15;
/// Its start brings missing formatting elements back, in every builder.
pub(crate) const REBUILDS: u32 = 1 << 16;
/// Not held here: HTML, HEAD and BODY.
pub(crate) const ROOT: u32 = 1 << 17;
/// SVG or MATH.
pub(crate) const FOREIGN: u32 = 1 << 18;

/// Its start may close more than these tables have.
pub(crate) const MAY_CLOSE: u32 = 1 << 19;

const P_BLOCK: u32 = SPECIAL | BLOCK | CLOSES_P;

/// The nature of a name in lower case.
pub(crate) fn nature(name: &[u8]) -> u32 {
    match name {
        b"div" => P_BLOCK | LOOSE | LEAVES,
        b"a" => FORMATTING | REBUILDS,
        b"span" | b"var" | b"ruby" => REBUILDS | LEAVES,
        b"p" => SPECIAL | LOOSE | CLOSES_P | LEAVES,
        b"li" | b"dd" | b"dt" => SPECIAL | CLOSES_P | LEAVES,
        b"b" | b"big" | b"code" | b"em" | b"i" | b"nobr" | b"s" | b"small" | b"strike" | b"strong" | b"tt" | b"u" => {
            FORMATTING | REBUILDS | LEAVES
        }
        // It leaves SVG only with certain attributes.
        b"font" => FORMATTING | REBUILDS,
        b"br" | b"embed" | b"img" => VOID | LEAVES | REBUILDS,
        b"hr" => VOID | LEAVES | CLOSES_P | MAY_CLOSE,
        b"meta" => VOID | LEAVES,
        b"area" | b"base" | b"basefont" | b"bgsound" | b"frame" | b"image" | b"keygen" | b"link" | b"param"
        | b"source" | b"track" | b"wbr" => VOID,
        b"input" => VOID | MAY_CLOSE,
        b"col" => VOID | PART,
        b"td" | b"th" | b"caption" => PART | CELL,
        b"tr" | b"tbody" | b"thead" | b"tfoot" | b"colgroup" => PART,
        b"center" | b"dl" | b"pre" | b"listing" | b"blockquote" => P_BLOCK | LEAVES,
        b"ol" | b"ul" => P_BLOCK | LEAVES | LIST,
        b"address" => P_BLOCK | LOOSE,
        b"article" | b"aside" | b"details" | b"dir" | b"fieldset" | b"figcaption" | b"figure" | b"footer"
        | b"header" | b"hgroup" | b"main" | b"nav" | b"section" => P_BLOCK,
        // Not every builder closes a P for these.
        b"dialog" | b"search" | b"summary" => SPECIAL | BLOCK | MAY_CLOSE,
        b"menu" => SPECIAL | BLOCK | LEAVES | MAY_CLOSE,
        b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => SPECIAL | CLOSES_P | HEADING | LEAVES | MAY_CLOSE,
        b"button" => SPECIAL | BLOCK | BUTTON | MAY_CLOSE,
        b"applet" | b"marquee" | b"object" => SPECIAL | BLOCK | SCOPE,
        b"select" => SPECIAL | BLOCK | SCOPE | MAY_CLOSE,
        b"table" => SPECIAL | BLOCK | SCOPE | HOST | LEAVES | MAY_CLOSE,
        b"template" => SPECIAL | BLOCK | SCOPE | HOST,
        b"frameset" => SPECIAL | SCOPE | MAY_CLOSE,
        b"form" => SPECIAL | MAY_CLOSE,
        b"noscript" => SPECIAL,
        b"xmp" | b"plaintext" => RAW | MAY_CLOSE,
        b"script" | b"textarea" | b"style" | b"iframe" | b"noembed" | b"noframes" => RAW,
        b"title" => RAW | BRIDGE,
        b"foreignobject" | b"annotation-xml" | b"desc" | b"mi" | b"mo" | b"mn" | b"ms" | b"mtext" => BRIDGE,
        b"html" | b"head" | b"body" => ROOT,
        b"svg" | b"math" => FOREIGN | SCOPE | SPECIAL,
        b"rb" | b"rt" | b"rtc" | b"rp" | b"option" | b"optgroup" => MAY_CLOSE,
        _ => REBUILDS,
    }
}

/// Whether a name of an attribute needs no search: builders know it by heart.
pub(crate) fn common(name: &[u8]) -> bool {
    matches!(
        name,
        b"class"
            | b"id"
            | b"href"
            | b"src"
            | b"style"
            | b"alt"
            | b"title"
            | b"name"
            | b"type"
            | b"value"
            | b"width"
            | b"height"
            | b"rel"
            | b"target"
            | b"content"
            | b"color"
            | b"size"
            | b"lang"
            | b"charset"
            | b"media"
    )
}
