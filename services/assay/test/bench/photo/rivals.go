package photo

import (
	"context"
	"fmt"
	"io"
	"os/exec"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// maker creates sides. in is the input file of their programs, and out is the prefix of their output files.
type maker struct {
	in, own, out string
	log          io.Writer
}

// side returns a side that runs a program with each list of arguments in sequence and adds up the
// costs. Each run is single-threaded, so that CPU time and wall time are about the same.
func (m maker) side(name, path string, commands ...[]string) paired.Side {
	return paired.Side{Name: name, Run: func(ctx context.Context) (paired.Sample, error) {
		sum := paired.Sample{}
		for _, args := range commands {
			process := paired.Process{Path: path, Args: args, Env: []string{"VIPS_CONCURRENCY=1", "MAGICK_THREAD_LIMIT=1", "GOMAXPROCS=1"}}
			sample, _, err := process.Run(ctx)
			if err != nil {
				return nil, err
			}
			sum.Add(sample)
		}
		return sum, nil
	}}
}

// rival is a side that may be absent.
type rival struct {
	side   paired.Side
	absent string
}

func (m maker) rival(name, program string, commands func() [][]string) rival {
	path, err := exec.LookPath(program)
	if err != nil {
		fmt.Fprintf(m.log, "photo: NOT MEASURED against %s: %s is not on PATH\n", name, program)
		return rival{paired.Side{Name: name}, program + " is not on PATH"}
	}
	return rival{m.side(name, path, commands()...), ""}
}

func (r rival) trial(title string, own paired.Side, goal paired.Goal) paired.Trial {
	goal.What, goal.Quantity = "CPU", paired.CPU
	return paired.Trial{Title: title, Own: own.Mean(2), Rival: r.side.Mean(2), Absent: r.absent, Goals: []paired.Goal{goal}}
}

// vips returns three commands, because libvips has no single one for the chain. Intermediate files
// are not compressed.
func (m maker) vips() [][]string {
	small, levels := m.out+"-1.v", m.out+"-2.v"
	return [][]string{
		{"thumbnail", m.in, small, "2048", "--height", "2048", "--size", "down"},
		{"scale", small, levels},
		{"sharpen", levels, m.out + "-vips.jpg[Q=85,strip]"},
	}
}

func (m maker) magick() [][]string {
	return [][]string{{
		m.in, "-resize", "2048x2048", "-contrast-stretch", "0.5%x0.5%", "-unsharp", "0x1+1+0.01", "-strip", "-quality", "85", m.out + "-magick.jpg",
	}}
}

func (m maker) vipsthumbnail() (all [][]string) {
	for _, side := range []string{"1200", "600", "300"} {
		all = append(all, []string{m.in, "-s", side, "-o", m.out + "-vips-" + side + ".jpg[Q=85,strip]"})
	}
	return all
}
