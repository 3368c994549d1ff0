// Package pixels reads, changes and writes pictures for the areas that process
// images. It is written for untrusted bytes: every picture is measured from its
// header before a decoder sees it, and an attempt holds the memory that its picture
// needs before it decodes.
//
//	decoder := pixels.NewDecoder(memory)             // one for the process
//	picture, release, err := decoder.Decode(ctx, data, pixels.Default)
//	defer release()
//	picture.Fit(2048, 2048)
//	picture.AutoLevels()
//	picture.Sharpen(100)
//	out, err := picture.Encode(pixels.Encoding{Format: pixels.JPEG, Quality: 85})
//
// JPEG, PNG, WebP and HEIC are read; JPEG, PNG and lossless WebP are written. The
// orientation of the source is applied. Of its metadata only an RGB colour profile
// is written again, unchanged; colours are never converted by guess.
//
// Every operation is integer arithmetic, or floating point without fused operations,
// so the same bytes give the same bytes on every processor.
package pixels
