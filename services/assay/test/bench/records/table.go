package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// writeTable creates a CSV file with a header and rows of 20 columns: numbers, dates, booleans, and texts with few and with
// many different values. It returns the file with its size in bytes.
func writeTable(path string, rows int) (*os.File, int64, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, 0, err
	}
	w, r := bufio.NewWriterSize(file, 1<<20), rand.New(rand.NewPCG(1, 2))
	fmt.Fprintln(w, "id,sample,well,operator,date,temp,ph,conc,abs450,abs600,mass,volume,batch,site,ok,comment,x,y,z,code")
	operators, sites := []string{"Anna", "Bo", "Chen", "Dmitri", "Elif"}, []string{"north", "south", "east", "west"}
	comments := []string{"", "", "fine", "repeat after dilution", "see note"}
	for i := range rows {
		fmt.Fprintf(w, "%d,S%06d,%c%d,%s,2024-%02d-%02dT%02d:%02d:00Z,%.2f,%.2f,%.4g,%.4f,%.4f,%.3f,%.1f,B%04d,%s,%t,%s,%.5f,%.5f,%.5f,%06x\n",
			i+1, r.IntN(1_000_000), 'A'+i%8, i%12+1, operators[r.IntN(5)], r.IntN(12)+1, r.IntN(28)+1, r.IntN(24), r.IntN(60),
			25+3*r.NormFloat64(), 4+5*r.Float64(), 10*r.ExpFloat64(), r.Float64(), r.Float64(), 100+20*r.NormFloat64(), 1+49*r.Float64(),
			r.IntN(300), sites[r.IntN(4)], r.IntN(2) == 0, comments[r.IntN(5)], r.Float64(), r.Float64(), r.NormFloat64(), r.IntN(1<<24))
	}
	err = w.Flush()
	size, failed := file.Seek(0, io.SeekEnd)
	if err == nil {
		err = failed
	}
	return file, size, err
}
