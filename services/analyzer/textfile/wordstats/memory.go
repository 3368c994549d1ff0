package wordstats

import "cmp"

// Memory returns the most memory in bytes that counting a text of size bytes with a number of
// readers uses. The worst text repeats no word: as measured, one of 7-letter words uses 5.2 times
// its size while the tables grow to their final size, one of longer words less. The limit bounds
// it, for each reader.
func (l Limits) Memory(size int64, readers int) int64 {
	const (
		buffers  = 2 << 20 // those of ahead, and of what converts the text, too
		perByte  = 6
		textSize = 1 << 50
	)
	words := perByte * min(size, textSize)
	if readers > 1 {
		words *= 2 // their words are copied to the merged vocabulary
	}
	growing := cmp.Or(l.Vocabulary, defaultVocabulary) / 2 * 3 // see wordPlace
	return int64(readers)*buffers + min(words, int64(readers)*growing)
}
