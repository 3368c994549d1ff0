package wordstats

import "cmp"

// Memory is what counting a text of so many bytes by so many readers takes at most,
// in bytes. The worst text has no word twice: measured, one of 7-letter words takes
// 5.2 times its size until the tables have their last size, one of longer words less.
// The limit bounds it, for each reader.
func (l Limits) Memory(size int64, readers int) int64 {
	const (
		buffers  = 2 << 20 // those of ahead, and of what converts the text, too
		perByte  = 6
		textSize = 1 << 50
	)
	words := perByte * min(size, textSize)
	if readers > 1 {
		words *= 2 // their words are once more in the vocabulary that theirs become
	}
	growing := cmp.Or(l.Vocabulary, defaultVocabulary) / 2 * 3 // see wordPlace
	return int64(readers)*buffers + min(words, int64(readers)*growing)
}
