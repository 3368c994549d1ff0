package pixels

import "bytes"

// withDistinct returns a HEIF file in which no two ipma boxes have the same flags. Old versions of cavif write a box for
// each item, which ISO/IEC 23008-12, 9.3.1 forbids and libavif refuses. It copies data only to change it.
func withDistinct(data []byte) []byte {
	if len(repeated(data)) == 0 {
		return data
	}
	changed := bytes.Clone(data)
	for i, body := range repeated(changed) {
		body[1] ^= byte(i + 1) // unused flags
	}
	return changed
}

// repeated returns at most 255 ipma boxes whose flags are those of earlier ones.
func repeated(data []byte) (found [][]byte) {
	flags := map[[4]byte]bool{}
	eachBox(data, func(name string, body []byte) {
		if name != "meta" || len(body) < 4 {
			return
		}
		eachBox(body[4:], func(name string, body []byte) {
			if name != "iprp" {
				return
			}
			eachBox(body, func(name string, body []byte) {
				if name != "ipma" || len(body) < 4 {
					return
				}
				if flags[[4]byte(body)] && len(found) < 255 {
					found = append(found, body)
				}
				flags[[4]byte(body)] = true
			})
		})
	})
	return found
}
