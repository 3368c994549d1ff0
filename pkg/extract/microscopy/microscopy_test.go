package microscopy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

var mutations = flag.Int("mutations", 200, "number of damaged files for each parser")

const ome = `<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Instrument ID="I:0"><Microscope Manufacturer="Zeiss" Model="Axio"/>
<Objective ID="O:0" Model="Plan 20x"/></Instrument><Image ID="Image:0" Name="cells &lt;1&gt;"><AcquisitionDate>2024-05-31T10:00:00</AcquisitionDate>
<Pixels SizeX="512" SizeY="256" SizeZ="5" SizeC="2" SizeT="3" Type="uint16" PhysicalSizeX="0.5" PhysicalSizeY="500" PhysicalSizeYUnit="nm"><Channel Name="DAPI"/><Channel Name="GFP"/></Pixels></Image></OME>`

// tiff returns a TIFF whose directory contains the value under the given tag, with the field type
// ASCII.
func tiff(order binary.AppendByteOrder, big bool, tag uint16, value []byte) []byte {
	mark := map[bool]string{true: "II", false: "MM"}[order == binary.AppendByteOrder(binary.LittleEndian)]
	b := []byte(mark)
	if big {
		b = order.AppendUint16(order.AppendUint16(order.AppendUint16(b, 43), 8), 0)
		b = order.AppendUint64(b, 16)
		b = order.AppendUint64(b, 2)
		for _, t := range []uint16{256, tag} {
			b = order.AppendUint16(order.AppendUint16(b, t), 2)
			b = order.AppendUint64(b, uint64(len(value)))
			b = order.AppendUint64(b, 16+8+40)
		}
		return append(b, value...)
	}
	b = order.AppendUint16(b, 42)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	for _, t := range []uint16{256, tag} {
		b = order.AppendUint16(order.AppendUint16(b, t), 2)
		b = order.AppendUint32(b, uint32(len(value)))
		b = order.AppendUint32(b, 8+2+24)
	}
	return append(b, value...)
}

func lsmBlock() []byte {
	order := binary.LittleEndian
	b := order.AppendUint32(nil, 0x00400494)
	for _, v := range []uint32{500, 1024, 512, 10, 3, 7, 2, 128, 128} {
		b = order.AppendUint32(b, v)
	}
	for _, v := range []float64{1e-7, 2e-7, 1.5e-6} {
		b = order.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

const cziXML = `<ImageDocument><Metadata><Information><Document><Title>slide 7</Title></Document><Image><SizeX>2048</SizeX><SizeY>1024</SizeY><SizeC>2</SizeC><PixelType>Gray16</PixelType>
<AcquisitionDateAndTime>2020-01-02T03:04:05Z</AcquisitionDateAndTime><Dimensions><Channels><Channel Id="C:0" Name="AF488"/><Channel Id="C:1" Name="DAPI"/></Channels></Dimensions></Image>
<Instrument><Microscopes><Microscope Name="Axio Observer"/></Microscopes><Objectives><Objective Name="EC Plan 10x"/></Objectives></Instrument></Information>
<Scaling><Items><Distance Id="X"><Value>6.5E-07</Value></Distance><Distance Id="Y"><Value>6.5E-07</Value></Distance></Items></Scaling></Metadata></ImageDocument>`

func czi() []byte {
	order := binary.LittleEndian
	b := make([]byte, 512)
	copy(b, "ZISRAWFILE")
	order.PutUint64(b[92:], 512)
	segment := make([]byte, 288)
	copy(segment, "ZISRAWMETADATA")
	order.PutUint32(segment[32:], uint32(len(cziXML)))
	return append(append(b, segment...), cziXML...)
}

const lifXML = `<LMSDataContainerHeader><Element Name="project"><Children><Element Name="Series001"><Data><Image><ImageDescription><Channels><ChannelDescription Resolution="8" LUTName="Green"/>
<ChannelDescription Resolution="8" LUTName="Red"/></Channels><Dimensions><DimensionDescription DimID="1" NumberOfElements="101" Length="1.0e-04" Unit="m"/><DimensionDescription DimID="2" NumberOfElements="51"/>
<DimensionDescription DimID="4" NumberOfElements="9" Unit="s" Length="8"/></Dimensions></ImageDescription><Attachment><ATLConfocalSettingDefinition ObjectiveName="HC PL 63x" MicroscopeModel="DMI8"/></Attachment></Image></Data></Element>
<Element Name="Series002"><Data><Image/></Data></Element></Children></Element></LMSDataContainerHeader>`

func lif() []byte {
	units := utf16.Encode([]rune(lifXML))
	order := binary.LittleEndian
	b := order.AppendUint32(nil, 0x70)
	b = order.AppendUint32(b, uint32(5+2*len(units)))
	b = append(b, 0x2a)
	b = order.AppendUint32(b, uint32(len(units)))
	for _, u := range units {
		b = order.AppendUint16(b, u)
	}
	return b
}

func read(t *testing.T, data []byte) *Header {
	t.Helper()
	h, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	h.title, h.axis = "", ""
	return h
}

// near reports whether two headers are equal except for rounding of lengths. It replaces nearly equal
// lengths of got with those of want.
func near(got, want *Header) bool {
	if len(got.Images) != len(want.Images) {
		return false
	}
	for i := range got.Images {
		g, w := &got.Images[i], want.Images[i]
		for _, pair := range [][2]*float64{{&g.PixelX, &w.PixelX}, {&g.PixelY, &w.PixelY}, {&g.PixelZ, &w.PixelZ}} {
			if math.Abs(*pair[0]-*pair[1]) > 1e-9 {
				return false
			}
			*pair[0] = *pair[1]
		}
	}
	return reflect.DeepEqual(got, want)
}

func TestHeaders(t *testing.T) {
	omeWant := &Header{Format: "OME-TIFF", Microscope: "Zeiss Axio", Objective: "Plan 20x", Images: []Image{{Name: "cells <1>", SizeX: 512, SizeY: 256, SizeZ: 5, SizeC: 2, SizeT: 3,
		PixelType: "uint16", PixelX: 0.5, PixelY: 0.5, Channels: []string{"DAPI", "GFP"}, Acquired: "2024-05-31T10:00:00"}}}
	for name, test := range map[string]struct {
		data []byte
		want *Header
	}{
		"OME, little endian": {tiff(binary.LittleEndian, false, tagDescription, []byte(ome+"\x00")), omeWant},
		"OME, big endian":    {tiff(binary.BigEndian, false, tagDescription, []byte(ome)), omeWant},
		"OME, BigTIFF":       {tiff(binary.LittleEndian, true, tagDescription, []byte(ome)), omeWant},
		"LSM": {tiff(binary.LittleEndian, false, tagLSM, lsmBlock()), &Header{Format: "LSM", Images: []Image{{SizeX: 1024, SizeY: 512, SizeZ: 10, SizeC: 3, SizeT: 7,
			PixelType: "uint16", PixelX: 0.1, PixelY: 0.2, PixelZ: 1.5}}}},
		"CZI": {czi(), &Header{Format: "CZI", Microscope: "Axio Observer", Objective: "EC Plan 10x", Images: []Image{{Name: "slide 7", SizeX: 2048, SizeY: 1024, SizeC: 2,
			PixelType: "Gray16", PixelX: 0.65, PixelY: 0.65, Channels: []string{"AF488", "DAPI"}, Acquired: "2020-01-02T03:04:05Z"}}}},
		"LIF": {lif(), &Header{Format: "LIF", Microscope: "DMI8", Objective: "HC PL 63x", Images: []Image{{Name: "Series001", SizeX: 101, SizeY: 51, SizeC: 2, SizeT: 9,
			PixelType: "8 bit", PixelX: 1, Channels: []string{"Green", "Red"}}, {Name: "Series002"}}}},
	} {
		if got := read(t, test.data); !near(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

func TestOtherFiles(t *testing.T) {
	cut := czi()
	long := "<OME>" + strings.Repeat("<Image/>", maxImages+5) + "</OME>"
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"empty":       {nil, ErrNotMicroscopy},
		"PNG":         {[]byte("\x89PNG\r\n\x1a\n0000000000"), ErrNotMicroscopy},
		"plain TIFF":  {tiff(binary.LittleEndian, false, tagDescription, []byte("a photo of a mouse")), ErrNotMicroscopy},
		"truncated":   {cut[:600], ErrDamaged},
		"no metadata": {append(bytes.Clone(cut[:512]), make([]byte, 400)...), ErrDamaged},
		"no image":    {tiff(binary.LittleEndian, false, tagDescription, []byte("<OME><Instrument/></OME>")), ErrDamaged},
		"deep":        {tiff(binary.LittleEndian, false, tagDescription, []byte("<OME>"+strings.Repeat("<a>", 200))), ErrDamaged},
		"short LSM":   {tiff(binary.LittleEndian, false, tagLSM, lsmBlock()[:40]), ErrDamaged},
	} {
		if h, err := Read(bytes.NewReader(test.data), int64(len(test.data))); !errors.Is(err, test.want) {
			t.Errorf("%s: got %+v, %v, want %v", name, h, err, test.want)
		}
	}
	if h := read(t, tiff(binary.LittleEndian, false, tagDescription, []byte(long))); len(h.Images) != maxImages || h.Further != 5 {
		t.Errorf("got %d images and %d further ones, want %d and 5", len(h.Images), h.Further, maxImages)
	}
}

func TestLengths(t *testing.T) {
	for _, test := range []struct {
		text, unit string
		want       float64
	}{{"2", "", 2}, {"2", "nm", 0.002}, {"1.5", "mm", 1500}, {"2", "parsec", 0}, {"-1", "", 0}, {"NaN", "", 0}, {"x", "", 0}} {
		if got := length(test.text, test.unit); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("length(%q, %q) = %v, want %v", test.text, test.unit, got, test.want)
		}
	}
}

func seeds() [][]byte {
	return [][]byte{tiff(binary.LittleEndian, false, tagDescription, []byte(ome)), tiff(binary.BigEndian, true, tagDescription, []byte(ome)), tiff(binary.LittleEndian, false, tagLSM, lsmBlock()), czi(), lif()}
}

func use(data []byte) { _, _ = Read(bytes.NewReader(data), int64(len(data))) }

func TestDamagedFiles(t *testing.T) { recordstest.Mutate(t, *mutations, seeds(), use) }

func FuzzHeaders(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Read(bytes.NewReader(data), int64(len(data)))
		if err == nil && len(h.Images) == 0 {
			t.Errorf("got %+v without images, want an error", h)
		}
	})
}
