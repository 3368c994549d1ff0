// Command picture performs the operations that bench measures on one photo, and prints the size of the
// last picture written.
//
//	picture chain IN OUT        2,048 pixels, levels, sharpen, JPEG of quality 85
//	picture thumbnails IN OUT   1,200, 600 and 300 pixels, JPEG of quality 82
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/assay-project/assay/services/analyzer/pixels"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("three arguments, not %d", len(args))
	}
	data, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	p, release, err := pixels.NewDecoder(1<<30).Decode(ctx, data, pixels.Default)
	if err != nil {
		return err
	}
	defer release()
	switch args[0] {
	case "chain":
		p.Fit(2048, 2048)
		p.AutoLevels()
		p.Sharpen(100)
		err = write(p, args[2]+".jpg", 85)
	case "thumbnails":
		for _, side := range []int{1200, 600, 300} { // each from the previous one
			p.Fit(side, side)
			if err = write(p, args[2]+"-"+strconv.Itoa(side)+".jpg", 82); err != nil {
				break
			}
		}
	default:
		err = fmt.Errorf("no %q", args[0])
	}
	fmt.Printf("%d %d\n", p.Width(), p.Height())
	return err
}

func write(p *pixels.Picture, path string, quality int) error {
	out, err := p.Encode(pixels.Encoding{Format: pixels.JPEG, Quality: quality})
	if err != nil {
		return err
	}
	return os.WriteFile(path, out, 0o644)
}
