package microscopy

import (
	"encoding/binary"
	"math"
	"strings"
)

// omeElement handles an element of OME-XML, schema 2016-06 or earlier.
func (h *Header) omeElement(e element) {
	a := e.attributes
	switch name := e.path[strings.LastIndexByte(e.path, '/')+1:]; {
	case name == "Image" && e.begins && strings.HasSuffix(e.path, "OME/Image"):
		h.image(a["Name"])
	case name == "Pixels" && e.begins:
		i := h.last()
		i.SizeX, i.SizeY, i.SizeZ, i.SizeC, i.SizeT = count(a["SizeX"]), count(a["SizeY"]), count(a["SizeZ"]), count(a["SizeC"]), count(a["SizeT"])
		i.PixelType = a["Type"]
		i.PixelX, i.PixelY, i.PixelZ = length(a["PhysicalSizeX"], a["PhysicalSizeXUnit"]), length(a["PhysicalSizeY"], a["PhysicalSizeYUnit"]), length(a["PhysicalSizeZ"], a["PhysicalSizeZUnit"])
	case name == "Channel" && e.begins:
		h.last().channel(a["Name"])
	case (name == "AcquisitionDate" || name == "AcquiredDate") && !e.begins:
		h.last().Acquired = e.text
	case name == "Microscope" && e.begins:
		h.Microscope = strings.TrimSpace(a["Manufacturer"] + " " + a["Model"])
	case name == "Objective" && e.begins && h.Objective == "":
		h.Objective = a["Model"]
	}
}

// cziElement handles an element of CZI metadata.
func (h *Header) cziElement(e element) {
	rest, found := strings.CutPrefix(e.path, "/ImageDocument/Metadata/")
	if !found {
		return
	}
	if rest == "Information/Image" && e.begins {
		h.image("")
		return
	}
	i := h.last()
	if e.begins {
		switch rest {
		case "Information/Image/Dimensions/Channels/Channel":
			i.channel(e.attributes["Name"])
		case "Information/Instrument/Microscopes/Microscope":
			h.Microscope = e.attributes["Name"]
		case "Information/Instrument/Objectives/Objective":
			if h.Objective == "" {
				h.Objective = e.attributes["Name"]
			}
		case "Scaling/Items/Distance":
			h.axis = e.attributes["Id"]
		}
		return
	}
	switch rest {
	case "Information/Image/SizeX":
		i.SizeX = count(e.text)
	case "Information/Image/SizeY":
		i.SizeY = count(e.text)
	case "Information/Image/SizeZ":
		i.SizeZ = count(e.text)
	case "Information/Image/SizeC":
		i.SizeC = count(e.text)
	case "Information/Image/SizeT":
		i.SizeT = count(e.text)
	case "Information/Image/PixelType":
		i.PixelType = e.text
	case "Information/Image/AcquisitionDateAndTime":
		i.Acquired = e.text
	case "Information/Document/Name", "Information/Document/Title":
		h.title = e.text
	case "Scaling/Items/Distance/Value": // in meters; applies to all images
		for n := range h.Images {
			h.Images[n].setPixel(h.axis, length(e.text, "m"))
		}
	}
	if i.Name == "" {
		i.Name = h.title
	}
}

// setPixel sets the pixel size along an axis.
func (i *Image) setPixel(axis string, size float64) {
	switch axis {
	case "X":
		i.PixelX = size
	case "Y":
		i.PixelY = size
	case "Z":
		i.PixelZ = size
	}
}

// lifElement handles an element of LIF metadata. An element with Data/Image is an image.
func (h *Header) lifElement(e element) {
	if !e.begins {
		return
	}
	a := e.attributes
	switch {
	case strings.HasSuffix(e.path, "/Element"):
		h.title = a["Name"]
	case strings.HasSuffix(e.path, "/Element/Data/Image"):
		h.image(h.title)
	case strings.HasSuffix(e.path, "/Image/ImageDescription/Channels/ChannelDescription"):
		i := h.last()
		i.SizeC++
		i.channel(a["LUTName"])
		if bits := a["Resolution"]; bits != "" {
			i.PixelType = bits + " bit"
		}
	case strings.HasSuffix(e.path, "/Image/ImageDescription/Dimensions/DimensionDescription"):
		i := h.last()
		n := count(a["NumberOfElements"])
		step := 0.0
		if n > 1 {
			step = length(a["Length"], a["Unit"]) / float64(n-1)
		}
		switch a["DimID"] {
		case "1", "X":
			i.SizeX, i.PixelX = n, step
		case "2", "Y":
			i.SizeY, i.PixelY = n, step
		case "3", "Z":
			i.SizeZ, i.PixelZ = n, step
		case "4", "T":
			i.SizeT = n
		}
	case strings.HasSuffix(e.path, "/ATLConfocalSettingDefinition") && h.Objective == "":
		h.Objective, h.Microscope = strings.TrimSpace(a["ObjectiveName"]), a["MicroscopeModel"]
	}
}

// TIFF tags.
const (
	tagDescription = 270
	tagLSM         = 34412
)

// tiff reads the first directory of a TIFF or BigTIFF file, which must contain an LSM block or an OME-XML
// description.
func (f *file) tiff(order binary.ByteOrder, big bool) (*Header, error) {
	at, width := int64(4), int64(4)
	if big {
		at, width = 8, 8
	}
	number := func(b []byte) int64 {
		if len(b) == 8 {
			return int64(order.Uint64(b))
		}
		return int64(order.Uint32(b))
	}
	b, err := f.bytes(at, width)
	if err != nil {
		return nil, err
	}
	directory := number(b)
	head, entry := int64(2), int64(12)
	if big {
		head, entry = 8, 20
	}
	if b, err = f.bytes(directory, head); err != nil {
		return nil, err
	}
	n := int64(order.Uint16(b))
	if big {
		n = number(b)
	}
	if n < 0 || n > 10_000 {
		return nil, damaged("a directory has too many entries")
	}
	entries, err := f.bytes(directory+head, n*entry)
	if err != nil {
		return nil, err
	}
	var description string
	for i := range n {
		e := entries[i*entry : (i+1)*entry]
		tag := order.Uint16(e)
		if tag != tagDescription && tag != tagLSM {
			continue
		}
		size := number(e[4 : 4+width]) // both tags have byte values
		value := e[4+width:]
		if size > width {
			if value, err = f.bytes(number(value), size); err != nil {
				return nil, err
			}
		}
		if tag == tagLSM {
			return lsm(value, order)
		}
		description = string(value[:min(max(size, 0), int64(len(value)))])
	}
	if !strings.Contains(description[:min(len(description), 4_000)], "<OME") {
		return nil, ErrNotMicroscopy
	}
	h := &Header{Format: "OME-TIFF"}
	return h, h.walk(description, h.omeElement)
}

// lsm reads the CZ_LSMInfo block.
func lsm(b []byte, order binary.ByteOrder) (*Header, error) {
	if len(b) < 64 {
		return nil, damaged("the LSM block is too short")
	}
	if magic := order.Uint32(b); magic != 0x00300494 && magic != 0x00400494 {
		return nil, damaged("the LSM block has a wrong magic number")
	}
	size := func(at int) int { return int(max(int32(order.Uint32(b[at:])), 0)) }
	pixel := func(at int) float64 { // in meters
		if v := math.Float64frombits(order.Uint64(b[at:])); v > 0 && v < 1 {
			return v * 1e6
		}
		return 0
	}
	types := map[int]string{1: "uint8", 2: "uint16", 5: "float"}
	h := &Header{Format: "LSM"}
	*h.image("") = Image{
		SizeX: size(8), SizeY: size(12), SizeZ: size(16), SizeC: size(20), SizeT: size(24), PixelType: types[size(28)],
		PixelX: pixel(40), PixelY: pixel(48), PixelZ: pixel(56),
	}
	if h.Images[0].SizeX == 0 || h.Images[0].SizeY == 0 {
		return nil, damaged("the LSM block describes no image")
	}
	return h, nil
}
