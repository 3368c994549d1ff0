package wordstats

// Memory is what counting a text of so many bytes allocates at most, in bytes. The
// worst text has no word twice: measured, one of 7-letter words takes 5.2 times its
// size until the tables have their last size, one of longer words less. The limits
// bound it: 5 million words of 40 letters take 450 MB.
func (l Limits) Memory(size int64) int64 {
	l = l.orDefaults()
	const (
		buffers  = 2 << 20
		perByte  = 6
		perWord  = 48 // of a slot, in the last table and those before
		textSize = 1 << 50
	)
	return buffers + min(perByte*min(size, textSize), perWord*l.UniqueWords+l.Bytes)
}

// orDefaults fills in what is not set.
func (l Limits) orDefaults() Limits {
	if l.UniqueWords == 0 {
		l.UniqueWords = defaultUniqueWords
	}
	if l.Bytes == 0 {
		l.Bytes = defaultBytes
	}
	return l
}
