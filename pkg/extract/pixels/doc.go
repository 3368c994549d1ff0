// Package pixels reads, changes and writes pictures for the areas that process images. It is written
// for untrusted input: before a picture is decoded, its size is read from the header and the memory
// for processing it is reserved.
//
//	decoder := pixels.NewDecoder(budget.New(memory), wasm.Config{}) // one per process
//	picture, release, err := decoder.Decode(ctx, data, pixels.Default)
//	defer release()
//	picture.Fit(2048, 2048)
//	picture.AutoLevels()
//	picture.Sharpen(100)
//	out, err := picture.Encode(pixels.Encoding{Format: pixels.JPEG, Quality: 85})
//
// It reads JPEG, PNG, WebP, HEIC, AVIF, JPEG XL, GIF, BMP, TIFF and the previews of raw files, and writes JPEG, PNG, WebP,
// AVIF and GIF. It applies the orientation of the source. Of the metadata it retains only a color profile that describes the
// samples, unchanged. Colors without such a profile, and with Limits.SRGB all colors, are converted to sRGB.
//
// All arithmetic is on integers, or on floating-point numbers without fused operations, so the same
// input produces the same output on every processor.
package pixels
