package webpage

import "strings"

// trait is a set of properties of an element that determine where its content ends (HTML standard, section 13.2).
type trait uint16

const (
	void       trait = 1 << iota // has no content
	closesP                      // its start tag ends a paragraph
	special                      // an end tag of a formatting or unknown element does not reach beyond it
	boundary                     // an end tag of another element does not reach beyond it
	formatting                   // crosses other elements
	inHead                       // belongs into the head if it precedes the body
	rawText                      // its content is text without markup
	displayed                    // its raw text is displayed
	tablePart                    // belongs into a table
)

// traits contains the traits of all elements that have one.
var traits = func() map[string]trait {
	all := map[string]trait{}
	add := func(t trait, names string) {
		for name := range strings.FieldsSeq(names) {
			all[name] |= t
		}
	}
	add(void, "area base basefont bgsound br col embed frame hr img input link meta param source track wbr")
	add(closesP, `address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form
		h1 h2 h3 h4 h5 h6 header hgroup hr li dd dt listing main menu nav ol p plaintext pre search section summary table ul xmp`)
	add(special, `address applet article aside blockquote body button caption center colgroup dd details dialog dir div dl dt
		fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup html li listing main marquee menu nav
		object ol p pre search section select summary table tbody td template textarea tfoot th thead title tr ul`)
	add(boundary, "applet caption html marquee object table td template th")
	add(formatting, "a b big code em font i nobr s small strike strong tt u")
	add(inHead, "base basefont bgsound link meta noscript script style template title")
	add(rawText, "iframe noembed noframes noscript plaintext script style xmp")
	add(displayed, "plaintext xmp")
	add(tablePart, "caption col colgroup tbody td tfoot th thead tr")
	return all
}()

// breaksOut lists the elements whose start tag ends a drawing or formula (HTML standard, section 13.2.6.5).
var breaksOut = set(`b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta
	nobr ol p pre ruby s small span strong strike sub sup table tt u ul var`)

// containsHTML lists the elements of drawings and formulas that contain HTML.
var containsHTML = set("foreignobject desc title annotation-xml mi mo mn ms mtext")
