package pixels

// EncodingMemory returns the maximum memory for encoding a picture of this size that may have transparent pixels, in
// bytes, if it is more than Info.Memory includes. A caller that shrinks a picture before it encodes it as WebP passes it
// as Limits.Beside, instead of setting Limits.WebP.
func EncodingMemory(e Encoding, width, height int) int64 {
	if e.Format != WebP {
		return 0
	}
	return webpMemory(int64(width)*int64(height), e.WebPQuality(), false)
}
