package cmd

import "testing"

// TestPhotoExplain explains prompts that are understood completely, in part and not at all.
func TestPhotoExplain(t *testing.T) {
	p := newPerson(t)
	p.run("photo", "explain", "make it a bit brighter, crop to square and save as webp.").want(t, 0,
		"1. Brighten by 10 %.\n2. Crop to a ratio of 1:1 around the center.\n3. Save as WEBP.\n", "")
	p.run("photo", "explain", "nach rechts drehen, brigten", "--width", "800").want(t, 0,
		"1. Rotate by 90° clockwise.\n2. Shrink to at most a width of 800 pixels.\nnot understood: brigten\ndid you mean: brighten 20%\n", "")
	p.run("photo", "explain", "sepia", "--json").want(t, 0,
		`{"steps":[{"op":"sepia","description":"Convert to sepia."}],"unknown":[]}`+"\n", "")
	p.run("photo", "explain", "remove the dog").want(t, 1, "not understood: remove the dog\n", "assay: nothing is understood: remove the dog\n")
}
