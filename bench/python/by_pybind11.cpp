/* by_pybind11.cpp - ask and tell of the C library through pybind11, with the names of arms as the package has: for
 * ask_tell.py.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

extern "C" {
#include <segue/learner.h>
#include <segue/task.h>
}

namespace py = pybind11;

static void check(segue_status status, const segue_error &err)
{
    if (status != SEGUE_OK)
        throw std::invalid_argument(err.message);
}

class Learner
{
  public:
    Learner(const std::string &path, std::vector<std::string> arms) : names(std::move(arms))
    {
        segue_error err;
        check(segue_learner_load(&learner, path.c_str(), names.size(), &err), err);
        for (size_t i = 0; i < names.size(); i++)
            index[names[i]] = i;
    }
    Learner(const Learner &) = delete;
    ~Learner()
    {
        segue_learner_destroy(learner);
    }

    segue_learner *learner = nullptr;
    std::vector<std::string> names;
    std::unordered_map<std::string, size_t> index;
};

class Task
{
  public:
    explicit Task(Learner &l) : owner(l)
    {
        segue_error err;
        check(segue_learner_open_task(owner.learner, &task, &err), err);
    }

    const std::string &ask()
    {
        return owner.names[segue_task_ask(task)];
    }

    void tell(const std::string &arm, double reward)
    {
        segue_error err;
        const auto found = owner.index.find(arm);
        if (found == owner.index.end())
            throw py::key_error("there is no arm '" + arm + "'");
        check(segue_task_tell(task, found->second, reward, &err), err);
    }

    void close()
    {
        segue_error err;
        check(segue_learner_close_task(owner.learner, &task, &err), err);
    }

  private:
    Learner &owner;
    segue_task *task = nullptr;
};

PYBIND11_MODULE(by_pybind11, m)
{
    py::class_<Learner>(m, "Learner")
        .def(py::init<const std::string &, std::vector<std::string>>())
        .def(
            "task", [](Learner &l) { return new Task(l); }, py::keep_alive<0, 1>());
    py::class_<Task>(m, "Task")
        .def("ask", &Task::ask)
        .def("tell", &Task::tell)
        .def("close", &Task::close);
}
