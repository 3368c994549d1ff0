package sentiment

import _ "embed"

//go:embed lexicon/LICENSE
var notice string

// Notice returns the license of the lexicon, which must be distributed with it.
func Notice() string { return notice }
