package wordstats

import "cmp"

// Memory returns the maximum memory in bytes for counting a text of size bytes with the given number
// of readers. In the worst case, no word repeats: in measurements, a text of 7-letter words used 5.2
// times its size while the tables grew for the last time; longer words used less. The limit bounds
// the memory of each reader.
func (l Limits) Memory(size int64, readers int) int64 {
	const (
		buffers  = 2 << 20 // including the buffers of ahead and of the charset decoder
		perByte  = 6
		textSize = 1 << 50
	)
	words := perByte * min(size, textSize)
	if readers > 1 {
		words *= 2 // merging copies the words
	}
	growing := cmp.Or(l.Vocabulary, defaultVocabulary) / 2 * 3 // tables use 50% more during growth; see wordPlace
	return int64(readers)*buffers + min(words, int64(readers)*growing)
}
