// Starts and stops a test environment of controller-runtime (envtest), whose programs KUBEBUILDER_ASSETS names, and prints
// how long that takes and how much memory the programs have, as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// What a test environment costs.
type costs struct {
	// Seconds until there are a client and the namespace "default".
	Start float64 `json:"start"`
	// Seconds until both programs have ended.
	Stop float64 `json:"stop"`
	// Megabytes in memory of each program, when it has started.
	Memory map[string]float64 `json:"memory"`
}

func main() {
	result, err := measure()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure() (*costs, error) {
	begin := time.Now()
	environment := &envtest.Environment{}
	if _, err := environment.Start(); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	started := time.Now()
	memory, err := memory()
	if err != nil {
		_ = environment.Stop()
		return nil, err
	}
	stopping := time.Now()
	if err := environment.Stop(); err != nil {
		return nil, fmt.Errorf("stop: %w", err)
	}
	return &costs{
		Start:  started.Sub(begin).Seconds(),
		Stop:   time.Since(stopping).Seconds(),
		Memory: memory,
	}, nil
}

// The memory of the programs that this one has started, by their names.
func memory() (map[string]float64, error) {
	found := map[string]float64{}
	files, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // It has ended.
		}
		facts := map[string]string{}
		for _, line := range strings.Split(string(content), "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok {
				facts[name] = strings.TrimSpace(value)
			}
		}
		if facts["PPid"] != strconv.Itoa(os.Getpid()) {
			continue
		}
		kilobytes, err := strconv.ParseFloat(strings.TrimSuffix(facts["VmRSS"], " kB"), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: VmRSS: %w", file, err)
		}
		found[facts["Name"]] = kilobytes / 1024
	}
	return found, nil
}
