package extract

import "slices"

// Kinds of embedded components.
const (
	KindProgram = "program" // WebAssembly
	KindModel   = "model"
	KindData    = "data"
	KindFont    = "font"
)

// Component is software or data of others that the module embeds and that is no Go module.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	// Source is the package URL of the origin, such as pkg:npm/libheif-js@1.23.2.
	Source string `json:"source"`
	// File is the embedded file, relative to the folder of the module.
	File string `json:"-"`
}

// Embedded returns all embedded components, by kind. Those inside the Go modules that a program links are not listed: its
// build information names these modules.
func Embedded() []Component { return slices.Clone(embedded) }

var embedded = []Component{
	{"pdfium", "2.1.13", KindProgram, "pkg:npm/%40hyzyla/pdfium@2.1.13", "pdf/pdfium.wasm.br"},
	{"resvg", "2.6.2", KindProgram, "pkg:npm/%40resvg/resvg-wasm@2.6.2", "svg/resvg.wasm.br"},
	{"RDKit", "2026.09.1", KindProgram, "pkg:npm/%40rdkit/rdkit@2026.9.1", "structure/rdkit/rdkit.wasm.br"},
	{"libheif", "1.23.2", KindProgram, "pkg:npm/libheif-js@1.23.2", "pixels/libheif/libheif.wasm.br"},
	{"libwebp", "1.4.0", KindProgram, "pkg:golang/github.com/gen2brain/webp@v0.5.5", "pixels/libwebp/webp.wasm.br"},
	{"libavif decoder", "1.1.1", KindProgram, "pkg:golang/github.com/gen2brain/avif@v0.4.4", "pixels/libavif/decode.wasm.br"},
	{"libavif encoder", "1.1.1", KindProgram, "pkg:golang/github.com/gen2brain/avif@v0.4.4", "pixels/libavif/encode.wasm.br"},
	{"libjxl", "0.11.0", KindProgram, "pkg:golang/github.com/gen2brain/jpegxl@v0.4.5", "pixels/libjxl/decode.wasm.br"},
	{"MediaPipe BlazeFace", "3.0.4", KindModel, "pkg:npm/%40vladmandic/human-models@3.0.4", "photo/faces/blazeface.bin.br"},
	{"MediaPipe Selfie Segmentation", "3.0.4", KindModel, "pkg:npm/%40vladmandic/human-models@3.0.4", "photo/cutout/selfie.bin.br"},
	{"lingua n-grams", "1.4.0", KindModel, "pkg:golang/github.com/pemistahl/lingua-go@v1.4.0", "letters/model.bin"},
	{"VADER lexicon", "0.0.0-20250429093935-f6505c8d03cc", KindData, "pkg:golang/github.com/jonreiter/govader@v0.0.0-20250429093935-f6505c8d03cc", "sentiment/lexicon/words.tsv"},
	{"Noto Sans", "0.4.2", KindFont, "pkg:npm/%40expo-google-fonts/noto-sans@0.4.2", "photo/text/fonts/latin.ttf.br"},
	{"Noto Sans Hebrew", "0.4.1", KindFont, "pkg:npm/%40expo-google-fonts/noto-sans-hebrew@0.4.1", "photo/text/fonts/hebrew.ttf.br"},
	{"Noto Sans Arabic", "0.4.3", KindFont, "pkg:npm/%40expo-google-fonts/noto-sans-arabic@0.4.3", "photo/text/fonts/arabic.ttf.br"},
	{"Noto Sans Devanagari", "0.4.1", KindFont, "pkg:npm/%40expo-google-fonts/noto-sans-devanagari@0.4.1", "photo/text/fonts/devanagari.ttf.br"},
	{"Noto Sans Thai", "0.4.2", KindFont, "pkg:npm/%40expo-google-fonts/noto-sans-thai@0.4.2", "photo/text/fonts/thai.ttf.br"},
	{"Noto Sans SC", "0.4.3", KindFont, "pkg:npm/%40expo-google-fonts/noto-sans-sc@0.4.3", "photo/text/fonts/chinese.ttf.br"},
	{"Noto Sans JP", "0.4.3", KindFont, "pkg:npm/%40expo-google-fonts/noto-sans-jp@0.4.3", "photo/text/fonts/japanese.ttf.br"},
	{"Noto Sans KR", "0.4.3", KindFont, "pkg:npm/%40expo-google-fonts/noto-sans-kr@0.4.3", "photo/text/fonts/korean.ttf.br"},
}
