package molecules

import (
	"bytes"
	"fmt"
	"os"
)

// End is the last line of each record of an SDF.
const End = "$$$$\n"

// Samples returns the SDF in a file, or a generated one if path is empty.
func Samples(path string) ([]byte, error) {
	if path == "" {
		return generated(), nil
	}
	data, err := os.ReadFile(path)
	if err == nil && !bytes.HasSuffix(data, []byte(End)) {
		err = fmt.Errorf("%s does not end with the line $$$$", path)
	}
	return data, err
}

// generated returns an SDF of chains of 20 to 39 atoms with 40 fields, about 8 kB each, like those of
// PubChem.
func generated() []byte {
	var b bytes.Buffer
	for n := range 1_000 {
		atoms := 20 + n%20
		fmt.Fprintf(&b, "chain %d\n  bench\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", n, atoms, atoms-1)
		for i := range atoms {
			fmt.Fprintf(&b, "%10.4f%10.4f%10.4f %-3s 0  0  0  0  0  0  0  0  0  0  0  0\n", 1.3*float64(i), 0.75*float64(i%2), 0.0, []string{"C", "C", "N", "C", "O", "C", "S"}[(i+n)%7])
		}
		for i := range atoms - 1 {
			fmt.Fprintf(&b, "%3d%3d  1  0  0  0  0\n", i+1, i+2)
		}
		fmt.Fprintf(&b, "M  END\n>  <ID>\n%d\n\n>  <logP>\n%.2f\n\n", n, float64(n%1000)/100-3)
		for i := range 38 {
			fmt.Fprintf(&b, ">  <FIELD_%d>\n%d.%d\n%s\n\n", i, n*i, i, bytes.Repeat([]byte{byte('a' + n%26)}, 100))
		}
		b.WriteString(End)
	}
	return b.Bytes()
}
