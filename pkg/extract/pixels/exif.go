package pixels

const tagOrientation = 0x0112

// orientation returns the Orientation tag in the first directory of a TIFF header (EXIF 2.32), or 1 if
// the value is not an integer from 1 to 8. EXIF requires the type SHORT, but some writers use other types.
func orientation(tiff []byte) int {
	d, first, version := openDirectories(tiff)
	if version != 42 {
		return 1
	}
	found, result := false, 1
	d.each(first, func(e field) {
		if e.tag != tagOrientation || found {
			return
		}
		if value, ok := d.integer(e, 0); ok {
			if found = true; value >= 1 && value <= 8 {
				result = int(value)
			}
		}
	})
	return result
}
