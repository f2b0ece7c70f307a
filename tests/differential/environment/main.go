// Starts and stops a test environment of controller-runtime (envtest), whose programs KUBEBUILDER_ASSETS names, twice. Prints
// how long that takes, how much memory the programs have, and what a user is told who gets a role, as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
	// What a user is told who lists objects, without and with a role.
	Told []string `json:"told"`
}

func main() {
	environment := &envtest.Environment{}
	result, err := measure(environment)
	if err == nil {
		// It starts again, with nothing of what was there.
		environment.Config, environment.KubeConfig = nil, nil
		var again *costs
		if again, err = measure(environment); err == nil {
			result.Told = append(result.Told, again.Told...)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(environment *envtest.Environment) (*costs, error) {
	begin := time.Now()
	config, err := environment.Start()
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	started := time.Now()
	memory, err := memory()
	if err != nil {
		_ = environment.Stop()
		return nil, err
	}
	told, err := told(environment, config)
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
		Told:   told,
	}, nil
}

// What a user is told who lists objects, before and after the admin binds the group of the user to a role.
func told(environment *envtest.Environment, config *rest.Config) ([]string, error) {
	ctx := context.Background()
	admin, err := client.New(config, client.Options{})
	if err != nil {
		return nil, err
	}
	ada, err := environment.AddUser(envtest.User{Name: "ada", Groups: []string{"painters"}}, nil)
	if err != nil {
		return nil, err
	}
	user, err := client.New(ada.Config(), client.Options{})
	if err != nil {
		return nil, err
	}
	list := func() string {
		if err := user.List(ctx, &corev1.ConfigMapList{}, client.InNamespace("default")); err != nil {
			return err.Error()
		}
		return "listed"
	}
	before := list()
	name := metav1.ObjectMeta{Name: "painters", Namespace: "default"}
	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}}
	if err := admin.Create(ctx, &rbacv1.Role{ObjectMeta: name, Rules: rules}); err != nil {
		return nil, err
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: name,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "painters"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "painters"}},
	}
	if err := admin.Create(ctx, binding); err != nil {
		return nil, err
	}
	// The real server learns of the binding a moment later.
	after := list()
	for end := time.Now().Add(5 * time.Second); after != "listed" && time.Now().Before(end); after = list() {
		time.Sleep(20 * time.Millisecond)
	}
	return []string{before, after}, nil
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
