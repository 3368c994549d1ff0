package pixels

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"slices"
)

// maxProfile is the maximum size of a color profile that is retained. Profiles of cameras and
// displays have 0.5 to 10 KB.
const maxProfile = 1 << 20

// maxInks is the maximum size of a profile for CMYK, which is applied. Those of printers have up to 3 MB.
const maxInks = 4 << 20

// validProfile returns p if its header declares a profile for RGB, gray or CMYK (ICC.1:2022, section 7.2), and nil
// otherwise.
func validProfile(p []byte) []byte {
	const header = 128
	if len(p) < header || len(p) > maxProfile && (profileSpace(p) != "CMYK" || len(p) > maxInks) || string(p[36:40]) != "acsp" || !slices.Contains([]string{"RGB ", "GRAY", "CMYK"}, profileSpace(p)) {
		return nil
	}
	size := binary.BigEndian.Uint32(p)
	if size < header || uint64(size) > uint64(len(p)) {
		return nil
	}
	return bytes.Clone(p[:size])
}

// inflateProfile decompresses the profile of a PNG. It returns at most one byte more than the maximum.
func inflateProfile(deflated []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(deflated))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return nil
	}
	return profile
}

// withProfile inserts a profile into an encoded picture.
func withProfile(encoded []byte, f Format, profile []byte) ([]byte, error) {
	switch f {
	case JPEG: // after SOI
		return insert(encoded, 2, jpegProfile(profile)), nil
	case PNG: // after IHDR
		chunk, err := pngProfile(profile)
		return insert(encoded, len(pngSignature)+12+13, chunk), err
	default:
		return webpProfile(encoded, profile), nil
	}
}

func insert(b []byte, at int, more []byte) []byte {
	return bytes.Join([][]byte{b[:at], more, b[at:]}, nil)
}

// jpegProfile splits a profile into APP2 segments (ICC.1:2022, B.4).
func jpegProfile(profile []byte) []byte {
	const most = 0xffff - 2 - 14 // without the length, the name and two counters
	count := (len(profile) + most - 1) / most
	var out []byte
	for n := 1; len(profile) > 0; n++ {
		part := profile[:min(most, len(profile))]
		profile = profile[len(part):]
		out = append(out, 0xff, markerAPP2)
		out = binary.BigEndian.AppendUint16(out, uint16(2+14+len(part)))
		out = append(out, iccHeader...)
		out = append(out, byte(n), byte(count))
		out = append(out, part...)
	}
	return out
}
