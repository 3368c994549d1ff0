package search

import "github.com/assay-project/assay/pkg/terms"

// The queries and words of package terms.
type (
	// Parsed is a parsed query.
	Parsed = terms.Parsed
	// Terms are the terms of a query.
	Terms = terms.Terms
	// Term is a term of a query.
	Term = terms.Term
	// Filter restricts the hits.
	Filter = terms.Filter
	// Tags are the tags of the caller that a query names.
	Tags = terms.Tags
	// SyntaxError is an error in a query.
	SyntaxError = terms.SyntaxError
	// Word is a word of a text.
	Word = terms.Word
)

// Kinds of items.
const (
	KindUser    = terms.KindUser
	KindFolder  = terms.KindFolder
	KindFile    = terms.KindFile
	KindRecord  = terms.KindRecord
	KindModel   = terms.KindModel
	KindMessage = terms.KindMessage
)
