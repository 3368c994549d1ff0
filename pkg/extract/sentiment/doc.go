// Package sentiment scores how positive or negative a text is with VADER: a lexicon of words with
// measured valences, and rules by which neighboring words change them.
//
// # Method
//
// C. J. Hutto and E. Gilbert, "VADER: A Parsimonious Rule-based Model for Sentiment Analysis of
// Social Media Text", ICWSM 2014. Where the paper is not specific, the package follows the authors'
// reference implementation (vaderSentiment, commit 44fc044, MIT), including its quirks, so that the
// scores are equal:
//
//   - Words are separated by white space. An emoji is first replaced by
//     its description. Punctuation is stripped from both ends of a word, unless
//     two characters or fewer would remain: then the word is an emoticon.
//   - Boosters and dampeners ("very", "hardly") among the three words before a word
//     add or subtract 0.293: 5% less at a distance of two words, 10% less at three.
//   - Negations ("not", "without", anything with "n't") among the three words before
//     a word multiply its valence by -0.74. "Never so" multiplies it by 1.25 instead,
//     "without doubt" does not negate, and "least" negates the next word unless "at"
//     or "very" precedes it. "No" negates the next two words.
//   - The valence of a word in capitals grows by 0.733 if not all words are in capitals.
//   - Some phrases have a valence of their own ("bad ass", "to die for").
//   - Valences after the first "but" count 1.5 times, those before it half.
//   - Up to four "!" add 0.292 each. Two or three "?" add 0.18 each, four or more add
//     0.96 in total.
//   - The sum x of the valences becomes compound = x / sqrt(x*x + 15).
//
// Typographic apostrophes and quotation marks are first replaced by their ASCII forms, which the
// reference does not do: there "isn’t" does not negate. Scores equal those of the reference for the
// text with the replacements.
//
// Three quirks of the reference are reproduced, because published scores depend on them: "so" or
// "this" directly before a word multiplies by 1.25 whenever three words precede it; "but" finds a
// valence by its value, so that an equal valence earlier in the text may be changed instead; and
// the sentiment-laden idioms ("cut the mustard") are listed there but never applied.
//
// # Lexicon
//
// The lexicon is the version with 7,518 lines, which reproduces the published scores of the
// reference. The reference has since added "heart" and "hearts", with which one of its 16 published
// sentences scores 0.8750 instead of 0.7003. See lexicon/SOURCE for the origin and checksums, and
// lexicon/LICENSE for the terms.
package sentiment
