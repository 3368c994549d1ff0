package sentiment

import _ "embed"

//go:embed lexicon/LICENSE
var notice string

// Notice is the license of the lexicon, which must go along with it.
func Notice() string { return notice }
