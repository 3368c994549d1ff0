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
//   - Boosters and dampeners ("very", "hardly") among the three words before
//     add or take 0.293, 5 % less at two words' distance, 10 % less at three.
//   - Negations ("not", "without", anything with "n't") among the three words
//     before multiply by -0.74. "Never so good" is 1.25 times as good instead,
//     "without doubt" does not negate, and "least" negates what follows it
//     unless "at" or "very" stands before it. "No" negates the next two words.
//   - A word in capitals counts 0.733 more when not all words are in capitals.
//   - Some phrases have a valence of their own ("bad ass", "to die for").
//   - After the first "but" valences count 1.5 times, before it half.
//   - Up to four "!" add 0.292 each, "??" and "???" 0.18 a mark, more "?" 0.96.
//   - The sum x of the valences becomes compound = x / sqrt(x*x + 15).
//
// Typographic apostrophes and quotation marks are first replaced by those of
// ASCII, which the reference does not do: there "isn’t" does not negate. Scores
// equal those of the reference for the text with the replacements.
//
// Three quirks of the reference are reproduced, because published scores depend on them: "so" or
// "this" directly before a word multiplies by 1.25 whenever three words precede it; "but" finds a
// valence by its value, so that an equal one earlier in the text can be changed in its place; and
// the sentiment-laden idioms ("cut the mustard") are listed there but never applied.
//
// # Lexicon
//
// The lexicon is the version of 7,518 lines that reproduces the scores that the
// reference publishes. The reference has since added "heart" and
// "hearts", with which one of its 16 published sentences scores 0.8750 instead
// of 0.7003. See lexicon/SOURCE for origin and checksums, lexicon/LICENSE for
// the terms.
package sentiment
