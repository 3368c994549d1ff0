package main

import (
	"bytes"
	"encoding/binary"
)

// sniff returns the name of a picture format from the first bytes of a file, or "". It does not use package pixels,
// whose judgment is compared.
func sniff(data []byte) string {
	for _, s := range []struct{ signature, format string }{
		{"\xff\xd8\xff", "jpeg"}, {"\x89PNG\r\n\x1a\n", "png"}, {"GIF87a", "gif"}, {"GIF89a", "gif"}, {"BM", "bmp"},
		{"II*\x00", "tiff"}, {"MM\x00*", "tiff"}, {"II+\x00", "tiff"}, {"MM\x00+", "tiff"},
		{"\xff\x0a", "jxl"}, {"\x00\x00\x00\x0cJXL \r\n\x87\n", "jxl"},
	} {
		if bytes.HasPrefix(data, []byte(s.signature)) {
			return s.format
		}
	}
	switch {
	case len(data) < 16:
		return ""
	case string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "webp"
	case string(data[4:8]) == "ftyp":
		return brand(data[8:min(uint64(len(data)), uint64(max(16, binary.BigEndian.Uint32(data))))])
	}
	return ""
}

// brand returns the format of the brands of ISO/IEC 23008-12 and AV1 Image File Format.
func brand(brands []byte) string {
	found := ""
	for at := 0; at+4 <= len(brands); at += 4 {
		switch string(brands[at : at+4]) {
		case "avif", "avis":
			return "avif"
		case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1":
			found = "heic"
		}
	}
	return found
}
