/* segue.h - all of Segue.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SEGUE_H
#define SEGUE_SEGUE_H

#include "segue/environment.h"
#include "segue/estimator.h"
#include "segue/learner.h"
#include "segue/learner_arms.h"
#include "segue/learner_config.h"
#include "segue/learner_explain.h"
#include "segue/learner_features.h"
#include "segue/learner_refit.h"
#include "segue/models.h"
#include "segue/moments.h"
#include "segue/number.h"
#include "segue/perturbation.h"
#include "segue/policy.h"
#include "segue/rng.h"
#include "segue/samples.h"
#include "segue/simulation.h"
#include "segue/stats.h"
#include "segue/status.h"
#include "segue/task.h"
#include "segue/task_view.h"
#include "segue/theory.h"
#include "segue/version.h"

#endif
