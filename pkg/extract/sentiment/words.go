package sentiment

// Parameters of the rules, as measured by the paper's authors.
const (
	boost    = 0.293 // added by a booster before a word; subtracted by a dampener
	capitals = 0.733 // added for a word in capitals if other words are not
	negation = -0.74 // factor of a negated word
	never    = 1.25  // factor of "never so", "never this"
)

// word contains the properties of a word in the dictionary.
type word struct {
	valence   float64 // -4 to 4
	boost     float64 // added to the valence of a positive word that follows
	inLexicon bool
	negates   bool // a listed word, not one with n't
	term      term
}

// term identifies a word that is named in a rule; 0 stands for all other words.
type term uint8

const (
	_ term = iota
	termAss
	termAt
	termBad
	termBeating
	termBomb
	termBroken
	termBus
	termBut
	termDeath
	termDie
	termDoubt
	termEnough
	termFor
	termHeart
	termJust
	termKind
	termKiss
	termLeast
	termNever
	termNo
	termNor
	termOf
	termOr
	termRight
	termShit
	termSo
	termSort
	termStop
	termThe
	termThis
	termTo
	termVery
	termWithout
	termYeah
)

// termWords lists the words of the terms, in the order of the constants.
const termWords = `ass at bad beating bomb broken bus but death die doubt enough
	for heart just kind kiss least never no nor of or right shit so sort stop the
	this to very without yeah`

// phrase is two words, or three if the last is not 0.
type phrase [3]term

// phraseValence returns the valence of a phrase.
func phraseValence(p phrase) (valence float64, ok bool) {
	if p[0] == 0 || p[1] == 0 {
		return 0, false
	}
	switch p {
	case phrase{termThe, termShit}, phrase{termThe, termBomb}, phrase{termTo, termDie, termFor}:
		return 3, true
	case phrase{termBad, termAss}:
		return 1.5, true
	case phrase{termBus, termStop}:
		return 0, true
	case phrase{termYeah, termRight}:
		return -2, true
	case phrase{termKiss, termOf, termDeath}:
		return -1.5, true
	case phrase{termBeating, termHeart}:
		return 3.1, true
	case phrase{termBroken, termHeart}:
		return -2.9, true
	}
	return 0, false
}

// dampens reports whether two words together are a dampener.
func dampens(first, second term) bool {
	return second == termOf && (first == termKind || first == termSort) ||
		first == termJust && second == termEnough
}

// negations lists the words that negate. Words that contain n't, in any
// spelling, negate without being listed.
const (
	negations = `
		cannot despite neither never none nope nor not nothing nowhere rarely seldom
		uh-uh uhuh without
		aint arent cant couldnt darent didnt doesnt dont hadnt hasnt havent isnt
		mightnt mustnt neednt oughtnt shant shouldnt wasnt werent wont wouldnt`

	boosters = `
		absolutely amazingly awfully completely considerable considerably decidedly deeply
		effing enormous enormously entirely especially exceptional exceptionally extreme
		extremely fabulously flippin flipping frackin fracking frickin fricking friggin
		frigging fuckin fucking fuggin fugging fully greatly hella highly hugely incredible
		incredibly intensely major majorly more most particularly purely quite really
		remarkably so substantially thoroughly total totally tremendous tremendously uber
		unbelievably unusually utter utterly very`

	dampeners = `
		almost barely hardly kind-of kinda kindof less little marginal marginally occasional
		occasionally partly scarce scarcely slight slightly somewhat sort-of sorta sortof`
)
